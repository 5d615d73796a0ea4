import type { EngineProfile } from "../engines/profile.ts";
import type { LoraRegistry } from "../server/lora-registry.ts";
import { isLoraName, type ModelServerSettings } from "../server/options.ts";
import { ApiError, jsonBody } from "./api-error.ts";

/** What the routes on models need. */
export interface ModelParts {
  readonly settings: ModelServerSettings;
  readonly profile: EngineProfile;
  readonly loras: LoraRegistry;
  /** Seconds since the epoch. */
  readonly startedAt: number;
}

/** `/v1/models`: the base model, then every adapter with the base model as its parent. */
export function listModels({ settings, profile, loras, startedAt }: ModelParts): Response {
  const common = { object: "model", owned_by: profile.ownedBy };
  const base = {
    id: settings.model,
    ...common,
    created: startedAt,
    root: settings.model,
    parent: null,
    max_model_len: settings.maxModelLen,
  };
  const adapters = loras.list().map(({ name, path, loadedAt }) => ({
    id: name,
    ...common,
    created: loadedAt,
    root: path,
    parent: settings.model,
  }));
  return Response.json({ object: "list", data: [base, ...adapters] });
}

/** Loads the adapter the body names: `{lora_name, lora_path}`. */
export async function loadLora(parts: ModelParts, request: Request): Promise<Response> {
  const body = await jsonBody(request);
  const { lora_name: name, lora_path: path } = body;
  if (!isLoraName(name))
    throw new ApiError(
      400,
      "lora_name must be a name of 1 to 256 characters without commas",
      "lora_name",
    );
  if (typeof path !== "string" || path === "")
    throw new ApiError(400, "lora_path must be a path", "lora_path");
  if (name === parts.settings.model || parts.loras.has(name))
    throw new ApiError(400, `the adapter "${name}" is already loaded`, "lora_name");
  if (!parts.loras.load(name, path.slice(0, 4096)))
    throw new ApiError(
      400,
      `${parts.settings.maxLoadedLoras} adapters are loaded, which is all that fit`,
    );
  return new Response(`Success: LoRA adapter '${name}' added successfully.`);
}

/** Unloads the adapter the body names: `{lora_name}`. Its requests under way go on. */
export async function unloadLora(parts: ModelParts, request: Request): Promise<Response> {
  const { lora_name: name } = await jsonBody(request);
  if (typeof name !== "string") throw new ApiError(400, "lora_name must be a name", "lora_name");
  if (!parts.loras.unload(name))
    throw new ApiError(404, `the adapter "${name.slice(0, 200)}" is not loaded`, "lora_name");
  return new Response(`Success: LoRA adapter '${name}' removed successfully.`);
}
