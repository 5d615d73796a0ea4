import { createKubernetesServer, type KubernetesServer } from "@muster/testkit/kubernetes";
import { type Follower, followByInformer, followByReflector } from "./kubernetes-followers.ts";
import { type Check, type Report, round } from "./table.ts";

/** One thing that goes wrong with watches, and how long to look on. */
interface Outage {
  readonly name: string;
  /** Begins it; an object named `after` is to come with it, or just after it. */
  begin(server: KubernetesServer): Promise<void>;
  /** s. */
  readonly seconds: number;
  /** s within which `after` is to be known to us; from the reflector's default times. */
  readonly bound: number;
}

/** What came of it. */
interface Outcome {
  readonly outage: Outage;
  readonly follower: string;
  readonly requests: number;
  /** Most requests within one second. */
  readonly most: number;
  /** s until `after` was known; undefined: not while we looked on. */
  readonly recovered: number | undefined;
}

/** Requests of one reflector that a server may see in the worst second. */
const mostAllowed = 10;
/** s between two looks. */
const step = 0.1;

/** What watches that fail cost an API server, and how soon they are over; client-node's informer beside ours. */
export async function benchKubernetesOutages(smoke: boolean): Promise<Report> {
  const silence = smoke ? 500 : undefined;
  const followers = [
    (server: string) => followByReflector(server, silence),
    (server: string) => followByInformer(server),
  ];
  // nothing is measured but requests and waits, so that all may run at once
  const outcomes = await Promise.all(
    outages(smoke).flatMap((outage) => followers.map((follow) => suffer(outage, follow))),
  );
  return {
    name: "kubernetes-outages: requests to the API server",
    rows: outcomes.map(({ outage, follower, requests, most, recovered }) => ({
      outage: outage.name,
      client: follower,
      "requests/min": round((requests / outage.seconds) * 60),
      "most in 1 s": most,
      "recovered after s": recovered === undefined ? "never" : round(recovered),
      "looked on for s": outage.seconds,
    })),
    checks: outcomes.filter(({ follower }) => follower.startsWith("muster")).flatMap(checksOf),
  };
}

function checksOf({ outage, most, recovered }: Outcome): Check[] {
  return [
    {
      what: `${outage.name}: recovered within ${outage.bound} s`,
      held: recovered !== undefined && recovered <= outage.bound,
    },
    {
      what: `${outage.name}: never more than ${mostAllowed} requests in one second`,
      held: most <= mostAllowed,
    },
  ];
}

function outages(smoke: boolean): Outage[] {
  const failures = smoke ? 2 : 10;
  const [short, long] = smoke ? [3, 3] : [30, 200];
  return [
    {
      name: "silent watch",
      begin: async (server) => {
        server.faults.silence();
        await create(server, "after");
      },
      // 3 min without a line, not even a bookmark
      ...{ seconds: long, bound: 182 },
    },
    {
      name: "watch that ends each second",
      begin: async (server) => {
        server.faults.endWatchesAfter(1000);
        await create(server, "after");
      },
      ...{ seconds: short, bound: 6 },
    },
    {
      name: "watch that ends at once",
      begin: async (server) => {
        server.faults.endWatchesAfter(0);
        await create(server, "after");
      },
      ...{ seconds: short, bound: 6 },
    },
    {
      name: `dropped, history gone, ${failures} lists fail`,
      begin: async (server) => {
        server.faults.fail({ verb: "list", resource: "configmaps", status: 500, times: failures });
        server.faults.dropWatches();
        await create(server, "after");
        server.faults.compact("status");
      },
      // one wait more than lists that fail: 0.25 s, doubled up to 30 s
      ...{ seconds: long, bound: 153 },
    },
  ];
}

async function suffer(
  outage: Outage,
  follow: (server: string) => Promise<Follower>,
): Promise<Outcome> {
  // bookmarks as often as API servers send them
  const server = createKubernetesServer({ bookmarkInterval: 60_000 });
  await server.start();
  try {
    await create(server, "before");
    const follower = await follow(server.url);
    while (!follower.has("before") || server.openWatches === 0) await wait(step);
    const outcome = await lookOn(outage, server, follower);
    await follower.stop();
    return outcome;
  } finally {
    await server.stop();
  }
}

async function lookOn(
  outage: Outage,
  server: KubernetesServer,
  follower: Follower,
): Promise<Outcome> {
  const counts = [asked(server)];
  const start = performance.now();
  await outage.begin(server);
  let recovered: number | undefined;
  for (let passed = 0; passed < outage.seconds; passed = (performance.now() - start) / 1000) {
    if (recovered === undefined && follower.has("after")) recovered = passed;
    await wait(step);
    counts.push(asked(server));
  }
  const last = counts.length - 1;
  const within = counts.map((count, at) => count - (counts[Math.max(0, at - 1 / step)] ?? 0));
  return {
    outage,
    follower: follower.name,
    requests: (counts[last] ?? 0) - (counts[0] ?? 0),
    most: Math.max(...within),
    recovered,
  };
}

/** Lists and watches so far. */
function asked({ requests }: KubernetesServer): number {
  return requests.filter(({ verb }) => verb === "list" || verb === "watch").length;
}

async function create({ url }: KubernetesServer, name: string): Promise<void> {
  const answer = await fetch(`${url}/api/v1/namespaces/default/configmaps`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ metadata: { name } }),
  });
  if (!answer.ok) throw new Error(`POST ${name}: ${answer.status} ${await answer.text()}`);
}

function wait(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
