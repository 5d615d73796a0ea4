import { isMusterError } from "@muster/core";
import { Hono } from "hono";
import type { Fault, FaultInput, FaultKind } from "../faults/fault.ts";
import { ApiError, jsonBody } from "./api-error.ts";

/** What the admin routes act on. */
export interface Administered {
  faults(): readonly Fault[];
  setFault(fault: FaultInput): void;
  clearFault(kind?: FaultKind): void;
  snapshot(): object;
}

/** `GET`, `POST` and `DELETE /sim/faults`, `GET /sim/state`. */
export function createAdminRoutes(server: Administered): Hono {
  const routes = new Hono();
  const listed = (): Response => Response.json({ faults: server.faults() });
  routes.get("/faults", listed);
  routes.post("/faults", async ({ req }) => {
    const fault = await jsonBody(req.raw);
    try {
      server.setFault(fault as unknown as FaultInput);
    } catch (error) {
      if (isMusterError(error)) throw new ApiError(400, error.message, error.path ?? null);
      throw error;
    }
    return listed();
  });
  routes.delete("/faults", ({ req }) => {
    const kind = req.query("kind");
    if (kind !== undefined && !server.faults().some((fault) => fault.kind === kind))
      throw new ApiError(404, `no fault of the kind "${kind.slice(0, 100)}" is on`);
    server.clearFault(kind as FaultKind | undefined);
    return listed();
  });
  routes.get("/state", () => Response.json(server.snapshot()));
  return routes;
}
