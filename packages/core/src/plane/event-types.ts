/** To whom an event channel or source belongs; matching is exact, a wider scope includes nothing. */
export type EventScope =
  | { readonly kind: "namespace"; readonly name: string }
  | { readonly kind: "component"; readonly namespace: string; readonly component: string }
  | {
      readonly kind: "endpoint";
      readonly endpoint: {
        readonly namespace: string;
        readonly component: string;
        readonly name: string;
      };
    };

/** How events of a channel travel; on the wire adjacently tagged, exactly as here. */
export type EventTransport =
  | { readonly kind: "Nats"; readonly config: { readonly subject_prefix: string } }
  | { readonly kind: "Zmq"; readonly config: { readonly endpoint: string } }
  | {
      readonly kind: "ZmqBroker";
      readonly config: {
        readonly xsub_endpoints: readonly string[];
        readonly xpub_endpoints: readonly string[];
      };
    };
