FROM node:24-slim AS modules
WORKDIR /app
COPY package.json package-lock.json ./
# Among the optional packages are Node binaries for machines without Node 24; the image is Node 24.
RUN npm ci --omit=dev --no-audit --no-fund && rm -rf node_modules/node-linux-* node_modules/node-win-* node_modules/.bin/node

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund && rm -rf node_modules/node-linux-* node_modules/node-win-* node_modules/.bin/node
COPY . .
RUN npm run build

FROM node:24-slim
# The allocator gives the memory of ended threads and large answers back to the system.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072
WORKDIR /app
COPY --from=modules /app/node_modules node_modules
# .dockerignore names the files that belong in the image.
COPY . .
COPY --from=build /app/webapp/dist webapp/dist
COPY --from=build /app/dist dist
RUN mkdir -m 700 /data && mkdir -p node_modules/.cache && chown node:node /data node_modules/.cache
# One start fills the caches of compiled code (cli/code-cache.cjs writes after three seconds). Node keeps one for each
# user, so it runs as the user of the image. Later starts only read them.
USER node
RUN (timeout --signal=TERM 10 node dist/ers.js serve --port 0 --data-dir /tmp/warm || true) && rm -r /tmp/warm && ls node_modules/.cache/code/service.* && test -d node_modules/.cache/compile
USER root
RUN chown -R root:root node_modules/.cache && chmod -R a+rX node_modules/.cache
USER node
VOLUME /data
EXPOSE 8321
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["node", "dist/ers.js", "healthcheck"]
CMD ["node", "dist/ers.js", "serve"]
