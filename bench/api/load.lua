-- What wrk sends: the requests of load.ts, with the objects of objects.ts, one after the other on
-- every connection.
--   wrk -t1 -c32 -d5s -s load.lua https://127.0.0.1:PORT -- WHAT TAG WIDGETS HEAD CONFIGMAPS-PATH
--     CONFIGMAP WIDGETS-PATH WIDGET
-- HEAD are the headers that all requests share. The objects hold %NAME% and %SIZE%.

local what, tag, widgets, head, mapsPath, map, widgetsPath, widget
local count = 0

function init(args)
  what, tag, widgets, head = args[1], args[2], tonumber(args[3]), args[4]
  mapsPath, map, widgetsPath, widget = args[5], args[6], args[7], args[8]
end

local function filled(object, name, size)
  local from, to = object:find("%NAME%", 1, true)
  local text = object:sub(1, from - 1) .. name .. object:sub(to + 1)
  if size == nil then return text end
  from, to = text:find('"%SIZE%"', 1, true)
  return text:sub(1, from - 1) .. size .. text:sub(to + 1)
end

local function send(method, path, body, kind)
  return method .. " " .. path .. " HTTP/1.1\r\n" .. head .. "Content-Type: " .. kind ..
    "\r\nContent-Length: " .. #body .. "\r\n\r\n" .. body
end

function request()
  count = count + 1
  local json = "application/json"
  if what == "createMap" then
    return send("POST", mapsPath, filled(map, tag .. "-" .. count), json)
  end
  if what == "createWidget" then
    return send("POST", widgetsPath, filled(widget, tag .. "-" .. count, 1), json)
  end
  local one = "w-" .. (count * 97) % widgets
  local path = widgetsPath .. "/" .. one
  if what == "get" then return "GET " .. path .. " HTTP/1.1\r\n" .. head .. "\r\n" end
  if what == "status" then
    local body = '{"status":{"ready":' .. count .. ',"phase":"' .. tag .. '"}}'
    return send("PATCH", path .. "/status", body, "application/merge-patch+json")
  end
  -- Another size than last time, or nothing would be written.
  local body = filled(widget, one, (count + math.floor(count / widgets)) % 1000)
  local query = "?fieldManager=bench&force=true"
  return send("PATCH", path .. query, body, "application/apply-patch+yaml")
end

function done(summary, latency)
  local errors = summary.errors
  local bad = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format(
    '\nRESULT {"answers":%d,"ms":%.3f,"bad":%d,"p50":%.3f,"p99":%.3f}\n',
    summary.requests, summary.duration / 1000, bad,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000
  ))
end
