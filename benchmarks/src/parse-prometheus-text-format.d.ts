declare module "parse-prometheus-text-format" {
  interface PeerSample {
    readonly value?: string;
    readonly labels?: Readonly<Record<string, string>>;
  }
  interface PeerFamily {
    readonly name: string;
    readonly metrics: readonly PeerSample[];
  }
  export default function parsePrometheusTextFormat(text: string): PeerFamily[];
}
