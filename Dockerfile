# The service alone, for external stores: requires DATABASE_URL, CLICKHOUSE_URL and HEARTLINE_SECRET_KEY.
# Omits the embedded stores, which are optional dependencies of 570 MB.
FROM node:24.19-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY clients ./clients
# The compiler and the bundler are optional packages as well, one for each platform.
RUN npm ci --omit=optional --no-audit --no-fund && npm install --no-save --omit=optional --no-audit --no-fund \
  "@typescript/typescript-$(node -p 'process.platform')-$(node -p 'process.arch')@$(node -p 'require("typescript/package.json").version')" \
  "@esbuild/$(node -p 'process.platform')-$(node -p 'process.arch')@$(node -p 'require("esbuild/package.json").version')"
COPY . .
# What draws the pictures of pages has an optional package for each platform, too. npm links the workspaces in clients/,
# which the service does not use and the image does not have.
RUN npm run build:image && npm prune --omit=dev --omit=optional --no-audit --no-fund \
  && npm install --no-save --omit=dev --omit=optional --no-audit --no-fund \
  "@resvg/resvg-js-$(node -p 'process.platform')-$(node -p 'process.arch')-gnu@$(node -p 'require("@resvg/resvg-js/package.json").version')" \
  && rm -r node_modules/@heartline

FROM node:24.19-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/sql ./sql
COPY --from=build /app/docs ./docs
COPY --from=build /app/web/static ./web/static
RUN ln -s /app/dist/cli/main.js /usr/local/bin/heartline
# For the volume with the log, which belongs to the user below then. HEARTLINE_DATA_DIR stays unset: without a volume,
# PostgreSQL acknowledges events, and none is on a disk that ends with the container.
RUN mkdir -m 0700 /data && chown 1000:1000 /data
# A number, so that an orchestrator can verify that it is not root. The service writes no file of the image.
USER 1000:1000
EXPOSE 8080 4317
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
# docs/operations.md says why.
CMD ["node", "--max-semi-space-size=64", "dist/cli/main.js", "serve"]
