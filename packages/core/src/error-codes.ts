/**
 * Every code Muster itself throws or counts, with what it means. The set is closed: third parties
 * use `vendor/CODE`. docs/errors.md says what to do about each.
 */
export const errorCodes = {
  ATTRIBUTE_INVALID: "a value cannot be stored as an attribute",
  ATTRIBUTE_UNDECLARED: "a plugin wrote an attribute it does not declare in `produces`",
  BAD_REQUEST: "a request to the HTTP API has a bad parameter",
  CONFIG_INVALID: "the configuration does not have the shape it must have",
  CONFIG_PARSE: "the configuration is not valid YAML or JSON",
  CONFIG_READ: "the configuration file cannot be read",
  CONFIG_TOO_LARGE: "the configuration file is larger than allowed",
  DISCOVERY_CONFLICT: "two discoveries report the same endpoint; the first keeps it",
  DISCOVERY_ENTRY: "one entry of a discovery's source is invalid and is skipped",
  DISCOVERY_FAILED: "a discovery plugin failed",
  DISCOVERY_PARSE: "a discovery's source cannot be parsed as a whole",
  DISCOVERY_READ: "a discovery's source cannot be read",
  DISCOVERY_TOO_LARGE: "a discovery's source is larger than allowed",
  DISCOVERY_TRUNCATED: "a discovery's source turned empty; the last good content is kept",
  DISCOVERY_WARNING:
    "something in a discovery's source looks wrong, but is used or ignored as said",
  DISCOVERY_WATCH: "watching a discovery's source failed; it is polled instead",
  ENDPOINT_INVALID: "endpoint metadata is not valid",
  EXTRACTOR_DUPLICATE: "a source has two extractors of one type",
  EXTRACTOR_INCOMPATIBLE: "an extractor does not fit the source it is bound to",
  EXTRACT_FAILED: "an extractor threw, or was stopped half-way",
  EXTRACT_MISSING: "metrics an extractor needs are missing from the page",
  EXTRACT_NO_ENGINE: "the page has no metric of a known engine",
  EXTRACT_TIMEOUT: "an asynchronous extractor took too long",
  FEED_OVERFLOW: "a change feed's reader was too slow and changes were merged into a resync",
  FORBIDDEN: "a request to the HTTP API is not allowed",
  HANDLE_DEAD: "a write handle was used after time-out, removal or stop",
  INTERNAL: "something failed that should not have; please report it",
  NOT_FOUND: "the thing that was asked for does not exist",
  PARSE_LIMIT: "a metrics page exceeds a limit of the parser",
  PLUGIN_API_VERSION: "a plugin was made for another version of the plugin API",
  PLUGIN_ATTRIBUTES:
    "a plugin requires an attribute that nothing produces, or requirements form a cycle",
  PLUGIN_CREATE: "a plugin could not be created from its configuration",
  PLUGIN_DUPLICATE: "two plugins have the same name or type",
  PLUGIN_INVALID: "something that should be a plugin is not one",
  PLUGIN_LOAD: "a plugin package cannot be loaded",
  PLUGIN_UNKNOWN: "no plugin of that type or name is known",
  PORT_IN_USE: "the port to listen on is taken",
  REGISTRATION_INVALID: "a plugin registered a dependency that is not valid",
  RUNTIME_EMPTY: "nothing to do: no sources and no registrations",
  RUNTIME_STATE: "the runtime is not in a state that allows this",
  SCRAPE_ABORTED: "the poll was cut short: the endpoint was removed or polling ended",
  SCRAPE_AUTH: "the server answered 401 or 403",
  SCRAPE_BLOCKED: "the target is not allowed by the target policy",
  SCRAPE_CONNECT: "no connection to the server, or it broke before an answer",
  SCRAPE_CONTENT_TYPE: "the answer is not a Prometheus text page",
  SCRAPE_CREDENTIALS: "credentials or TLS files for scraping cannot be read",
  SCRAPE_REDIRECT: "the server redirects somewhere that is not followed",
  SCRAPE_STATUS: "the server answered with a status other than 200",
  SCRAPE_TIMEOUT: "the server took too long",
  SCRAPE_TLS: "the TLS handshake failed",
  SCRAPE_TOO_LARGE: "the page is larger than allowed",
  SCRAPE_TRUNCATED: "the page ended before it was complete",
  SOURCE_COLLISION: "one source type or kind is claimed twice",
  SOURCE_MISSING: "an extractor requires a source that is not configured",
  SOURCE_VARIANT: "a source is of no known variant, or of more than one",
  START_FAILED: "starting failed; `problems` lists every reason",
  START_TIMEOUT: "starting took too long",
  STOP_TIMEOUT: "stopping took too long",
  UNAUTHORIZED: "a request to the HTTP API lacks a valid token",
  USAGE: "a command was called with wrong arguments",
} as const;

/** One of Muster's own codes. */
export type MusterErrorCode = keyof typeof errorCodes;

/** A code of ours, or a third party's `vendor/CODE`. */
export type ErrorCode = MusterErrorCode | `${string}/${string}`;
