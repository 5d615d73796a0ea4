import { createMemoryRegistry, type MemoryRegistry } from "./memory-registry.ts";

const registries = new Map<string, MemoryRegistry>();

/**
 * The registry of that name in this process, made when first asked for: how a program fills the store
 * that a configuration names.
 */
export function memoryRegistry(name = "default"): MemoryRegistry {
  const registry = registries.get(name) ?? createMemoryRegistry();
  registries.set(name, registry);
  return registry;
}
