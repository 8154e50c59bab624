# The image: the program as its archive has it, with Node in it, on a small Debian. docs/containers.md says how to run it.
# Other images to make it from can be named: --build-arg NODE_IMAGE=…
ARG NODE_IMAGE=node:24-slim
ARG BASE_IMAGE=debian:12-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Scripts of packages would compile SQLite, which its package brings compiled, and need tools that the image does not have.
RUN npm ci --ignore-scripts --no-audit --no-fund
# .dockerignore names the files that the build needs.
COPY . .
RUN npm run -s release -- --folder /ers

FROM ${BASE_IMAGE}
# The allocator gives the memory of ended threads and large answers back to the system, also without the script `ers`.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072
COPY --from=build /ers /app
RUN ln -s /app/ers /app/bin/node /usr/local/bin/ && useradd --uid 1000 --home-dir /data --no-create-home --shell /usr/sbin/nologin ers \
 && mkdir -m 700 /data && mkdir /app/node_modules/.cache && chown ers:ers /data /app/node_modules/.cache
# One start fills the caches of compiled code (cli/code-cache.cjs writes after three seconds). Node keeps one for each
# user, so it runs as the user of the image. Later starts only read them.
USER ers
RUN (timeout --signal=TERM 10 ers serve --port 0 --data-dir /tmp/warm || true) && rm -r /tmp/warm && ls /app/node_modules/.cache/code/service.* && test -d /app/node_modules/.cache/compile
USER root
RUN chown -R root:root /app/node_modules/.cache && chmod -R a+rX /app/node_modules/.cache
USER ers
WORKDIR /app
VOLUME /data
EXPOSE 8321
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["ers", "healthcheck"]
CMD ["ers", "serve"]
