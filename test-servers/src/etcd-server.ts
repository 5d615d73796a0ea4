import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { callGateway } from "./etcd-gateway.ts";
import { freePorts } from "./free-port.ts";
import { ServerProcess } from "./server-process.ts";
import { requireService } from "./services.ts";
import { ProcessServer, startOnFreePorts, type TestServer } from "./test-server.ts";
import { testTls } from "./tls-files.ts";

/** How a test's etcd is started. */
export interface EtcdOptions {
  /** TLS with the certificate of that name; clients must show a certificate of the CA. */
  readonly tls?: "server" | "misnamed" | undefined;
  /** Further command-line flags. */
  readonly flags?: readonly string[] | undefined;
}

/** A member of a cluster: its name, and everybody's address. */
interface Membership {
  readonly name: string;
  readonly cluster: string;
}

/** A real etcd of one member, its data in a folder of its own; wiped, it is another cluster. */
export interface EtcdServer extends TestServer {
  /** `http://127.0.0.1:port`, or `https://`. */
  readonly endpoint: string;
  readonly dataDir: string;
  /** A call of its JSON gateway, such as `/v3/kv/put`. */
  call(path: string, body: object): Promise<Record<string, unknown>>;
  put(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
  /** Deletes everything. */
  clear(): Promise<void>;
  /** Everything it holds. */
  read(): Promise<Map<string, string>>;
  /** Forgets all older revisions. */
  compact(): Promise<void>;
  /**
   * Switches authentication on, with `root` and one user who may read and write everything, or what
   * begins with `prefix`.
   */
  enableAuth(user: string, password: string, prefix?: string): Promise<void>;
}

/** Starts etcd on free ports; resolves when it is healthy. */
export async function startEtcd(options: EtcdOptions = {}): Promise<EtcdServer> {
  const binary = requireService("etcd");
  return await startOnFreePorts(
    3,
    (port = 0, peer = 0, health = 0) => new TestEtcd(binary, { ...options, port, peer, health }),
  );
}

/** Starts a cluster of that many members; resolves when all are healthy. */
export async function startEtcdCluster(size: number): Promise<EtcdServer[]> {
  const binary = requireService("etcd");
  const ports = await freePorts(3 * size);
  const peers = ports.slice(size, 2 * size);
  const cluster = peers.map((peer, index) => `m${index}=http://127.0.0.1:${peer}`).join();
  const members = peers.map((peer, index) => {
    const [port = 0, health = 0] = [ports[index], ports[2 * size + index]];
    // members of a busy machine need more patience with each other
    const flags = ["--heartbeat-interval", "50", "--election-timeout", "500"];
    const membership = { name: `m${index}`, cluster };
    return new TestEtcd(binary, { port, peer, health, flags, membership });
  });
  await Promise.all(members.map((member) => member.start()));
  return members;
}

interface EtcdPorts extends EtcdOptions {
  readonly membership?: Membership | undefined;
  readonly port: number;
  readonly peer: number;
  readonly health: number;
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** The range of all keys. */
const everything = { key: base64("\0"), range_end: base64("\0") };

function beginningWith(prefix: string): { key: string; range_end: string } {
  const last = String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
  return { key: base64(prefix), range_end: base64(prefix.slice(0, -1) + last) };
}

class TestEtcd extends ProcessServer implements EtcdServer {
  protected readonly name = "etcd";
  protected readonly process: ServerProcess;
  readonly port: number;
  readonly endpoint: string;
  readonly dataDir: string = mkdtempSync(join(tmpdir(), "muster-etcd-"));
  readonly #tls: boolean;
  readonly #health: number;
  #root: string | undefined;
  #token: string | undefined;

  constructor(binary: string, options: EtcdPorts) {
    super();
    const { tls, port } = options;
    this.port = port;
    this.#tls = tls !== undefined;
    this.#health = options.health;
    this.endpoint = `${this.#tls ? "https" : "http"}://127.0.0.1:${port}`;
    this.process = new ServerProcess(binary, etcdFlags(this.endpoint, this.dataDir, options));
  }

  override async start(): Promise<void> {
    this.#token = undefined;
    await super.start();
  }

  async call(path: string, body: object): Promise<Record<string, unknown>> {
    const target = { port: this.port, tls: this.#tls };
    if (this.#root !== undefined && this.#token === undefined) {
      const login = { name: "root", password: this.#root };
      const answer = await callGateway(target, "/v3/auth/authenticate", login);
      this.#token = String(answer.token);
    }
    return callGateway({ ...target, token: this.#token }, path, body);
  }

  async put(key: string, value: string): Promise<void> {
    await this.call("/v3/kv/put", { key: base64(key), value: base64(value) });
  }

  async delete(key: string): Promise<void> {
    await this.call("/v3/kv/deleterange", { key: base64(key) });
  }

  async clear(): Promise<void> {
    await this.call("/v3/kv/deleterange", everything);
  }

  async read(): Promise<Map<string, string>> {
    const { kvs = [] } = (await this.call("/v3/kv/range", everything)) as {
      kvs?: { key: string; value?: string }[];
    };
    const text = (value = ""): string => Buffer.from(value, "base64").toString();
    return new Map(kvs.map(({ key, value }) => [text(key), text(value)]));
  }

  async compact(): Promise<void> {
    const { header } = (await this.call("/v3/kv/range", { key: base64("x") })) as {
      header: { revision: string };
    };
    await this.call("/v3/kv/compaction", { revision: header.revision, physical: true });
  }

  async enableAuth(user: string, password: string, prefix?: string): Promise<void> {
    const range = prefix === undefined ? everything : beginningWith(prefix);
    const perm = { permType: "READWRITE", ...range };
    await this.call("/v3/auth/user/add", { name: "root", password: "root" });
    await this.call("/v3/auth/role/add", { name: "root" });
    await this.call("/v3/auth/user/grant", { user: "root", role: "root" });
    await this.call("/v3/auth/role/add", { name: "all" });
    await this.call("/v3/auth/role/grant", { name: "all", perm });
    await this.call("/v3/auth/user/add", { name: user, password });
    await this.call("/v3/auth/user/grant", { user, role: "all" });
    await this.call("/v3/auth/enable", {});
    this.#root = "root";
  }

  protected forget(): void {
    rmSync(this.dataDir, { recursive: true, force: true });
    this.#root = undefined;
  }

  protected async answers(): Promise<boolean> {
    const answer = await fetch(`http://127.0.0.1:${this.#health}/health`);
    return ((await answer.json()) as { health: string }).health === "true";
  }
}

function etcdFlags(endpoint: string, dataDir: string, options: EtcdPorts): string[] {
  const { peer, health, tls, flags = [], membership } = options;
  const peerUrl = `http://127.0.0.1:${peer}`;
  const secure =
    tls === undefined
      ? []
      : [
          ...["--cert-file", testTls[tls].cert, "--key-file", testTls[tls].key],
          ...["--trusted-ca-file", testTls.ca, "--client-cert-auth"],
        ];
  return [
    ...["--name", membership?.name ?? "test", "--data-dir", dataDir],
    ...["--listen-client-urls", endpoint, "--advertise-client-urls", endpoint],
    ...["--listen-peer-urls", peerUrl, "--initial-advertise-peer-urls", peerUrl],
    ...["--initial-cluster", membership?.cluster ?? `test=${peerUrl}`],
    ...["--listen-metrics-urls", `http://127.0.0.1:${health}`],
    // it is a leader sooner, and grants leases of 1 s: it takes none shorter than 1.5 elections
    ...["--heartbeat-interval", "20", "--election-timeout", "200"],
    ...secure,
    ...flags,
  ];
}
