# The reference app: docker build -t muster:0.1.0 .
# CI follows the build stage without Docker and runs what comes out of it (scripts/ci/image.ts).

FROM node:20.20.2-bookworm-slim AS build
ENV CI=true COREPACK_ENABLE_DOWNLOAD_PROMPT=0 MUSTER_DECLARATIONS=off
WORKDIR /src
# the pnpm that package.json pins, checked against the hash there
RUN corepack enable pnpm
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./
RUN pnpm fetch
COPY . .
RUN pnpm install --offline --frozen-lockfile
RUN pnpm --filter "@muster/app..." run build
RUN pnpm --filter @muster/app deploy --prod --offline --config.inject-workspace-packages=true /runtime

FROM node:20.20.2-bookworm-slim
LABEL org.opencontainers.image.source=https://github.com/muster-dev/muster
LABEL org.opencontainers.image.licenses=Apache-2.0
ENV NODE_ENV=production
COPY --from=build /runtime /app
# nobody's: nothing in the image belongs to it, and it may write nothing
USER 65532:65532
# where paths in a configuration start
WORKDIR /etc/muster
EXPOSE 7700
ENTRYPOINT ["node", "/app/dist/cli.js"]
CMD ["run", "--config", "/etc/muster/muster.yaml"]
