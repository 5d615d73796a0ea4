export { type FileStoreConfig, type FileStoreSettings, fileStoreSchema } from "./config.ts";
export { createFileStore, type FileStoreOptions } from "./store.ts";
