import { Hono } from "hono";
import type { RequestEnvironment } from "../server/http-adapter.ts";
import { type Administered, createAdminRoutes } from "./admin-routes.ts";
import { ApiError } from "./api-error.ts";
import { answerCompletion } from "./completion-routes.ts";
import type { ServingParts } from "./generation.ts";
import { listModels, loadLora, type ModelParts, unloadLora } from "./model-routes.ts";

/** Everything the routes need. */
export interface AppParts extends ServingParts, ModelParts {
  readonly administered: Administered;
  /** Iteration statistics since the last call, for engines that have them. */
  readonly iterationStats: () => readonly object[];
}

/** The server's routes, but for the metrics page. */
export function createApp(parts: AppParts): Hono<{ Bindings: RequestEnvironment }> {
  const { profile, settings } = parts;
  const app = new Hono<{ Bindings: RequestEnvironment }>();
  app.use(async ({ env }, next) => {
    if (!env.bodyTooLarge) return next();
    throw new ApiError(413, `the body is larger than ${settings.maxBodyBytes} bytes`);
  });
  app.onError((error) => {
    if (error instanceof ApiError) return error.toResponse();
    settings.logger.error({ error: error.message }, "the simulated server failed to answer");
    return new ApiError(500, "the simulated server failed to answer").toResponse();
  });
  app.notFound(({ req }) =>
    new ApiError(404, `there is nothing at ${req.method} ${req.path.slice(0, 200)}`).toResponse(),
  );
  app.get("/health", () => new Response(null));
  app.get("/version", () => Response.json({ version: profile.version }));
  app.get("/v1/models", () => listModels(parts));
  app.post("/v1/chat/completions", ({ req }) => answerCompletion(parts, "chat", req.raw));
  app.post("/v1/completions", ({ req }) => answerCompletion(parts, "text", req.raw));
  if (profile.statsPath !== undefined)
    app.get(profile.statsPath, () => Response.json(parts.iterationStats()));
  if (profile.loraRoutePrefix !== undefined) {
    app.post(`${profile.loraRoutePrefix}/load_lora_adapter`, ({ req }) => loadLora(parts, req.raw));
    app.post(`${profile.loraRoutePrefix}/unload_lora_adapter`, ({ req }) =>
      unloadLora(parts, req.raw),
    );
  }
  if (settings.admin) app.route("/sim", createAdminRoutes(parts.administered));
  return app;
}
