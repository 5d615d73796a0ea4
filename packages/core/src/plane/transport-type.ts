/**
 * Where requests to an endpoint go. On the wire externally tagged in snake case, exactly as here:
 * `{"tcp":"host:port/<id hex>/<endpoint>"}`, `{"nats_tcp":"<subject>"}`,
 * `{"http":"http://host:port/v1/rpc/<endpoint>"}` (older fleets).
 */
export type TransportType =
  | { readonly tcp: string }
  | { readonly nats_tcp: string }
  | { readonly http: string };
