export { createMemoryRegistry, type MemoryRegistry } from "./memory-registry.ts";
export { createMemoryStore, type MemoryStoreOptions } from "./memory-store.ts";
export { memoryRegistry } from "./named-registry.ts";
