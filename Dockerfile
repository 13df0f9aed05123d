# The single executable on a small Debian, as a user of its own: docs/guides/installing.md.

FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
COPY dashboard/package.json dashboard/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY bin bin
COPY scripts scripts
COPY src src
COPY dashboard dashboard
RUN npm run --silent build && node scripts/build-executable.ts /setpoint

FROM debian:bookworm-slim
# git for sources that are repositories; the shell and tools for processes are there already.
RUN apt-get update -qq \
  && apt-get install -qq -y --no-install-recommends ca-certificates git openssh-client \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --system --uid 10001 --home-dir /var/lib/setpoint --shell /usr/sbin/nologin setpoint \
  && install -d -o setpoint -m 0700 /var/lib/setpoint /etc/setpoint
COPY --from=build /setpoint /usr/local/bin/setpoint
COPY LICENSE /usr/share/doc/setpoint/LICENSE
# Keys of secrets lie in /etc/setpoint/keys: another volume than the data, on purpose.
ENV XDG_CONFIG_HOME=/etc
VOLUME ["/var/lib/setpoint", "/etc/setpoint"]
USER setpoint
WORKDIR /var/lib/setpoint
EXPOSE 7443
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s \
  CMD ["/usr/local/bin/setpoint", "status", "--data", "/var/lib/setpoint"]
ENTRYPOINT ["/usr/local/bin/setpoint"]
CMD ["serve", "--data", "/var/lib/setpoint", "--listen", "0.0.0.0:7443"]
