-- What wrk sends to etcd's JSON gateway: one put, the same again and again.
--   wrk -t1 -c32 -d5s -s put.lua https://127.0.0.1:PORT -- BODY

local text

function init(args)
  local headers = { ["Host"] = "127.0.0.1", ["Content-Type"] = "application/json" }
  text = wrk.format("POST", "/v3/kv/put", headers, args[1])
end

function request()
  return text
end

function done(summary)
  local errors = summary.errors
  local bad = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  io.write(string.format(
    '\nRESULT {"answers":%d,"ms":%.3f,"bad":%d,"p50":0,"p99":0}\n',
    summary.requests, summary.duration / 1000, bad
  ))
end
