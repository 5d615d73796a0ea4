import { createRequire } from "node:module";

const manifest = createRequire(import.meta.url)("@muster/app/package.json") as { version: string };

/** Version of this app. */
export const version: string = manifest.version;
