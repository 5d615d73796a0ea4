import type { ChildProcess } from "node:child_process";
import { ask, endChild, startChild } from "./child.ts";
import type { ClientName } from "./kubernetes-client.ts";
import { type ServerTask, serverModule } from "./kubernetes-server.ts";
import {
  type SubjectTask,
  type SyncResult,
  subjectModule,
  type ViewResult,
} from "./kubernetes-subject.ts";
import { type Figure, figure } from "./measure.ts";
import { type Check, type Report, type Row, round, show } from "./table.ts";
import type { Window, WindowPlan } from "./windows.ts";

/**
 * Goals: ms for the first list and share of a core while changes come; then parts of what the informer
 * takes. Following costs more CPU than the informer: what is frozen and made into endpoints is a part of
 * that, and the rest is not explained. The bound only tells when it gets worse.
 */
const goals = Object.freeze({ sync: 3000, cores: 0.2, syncRatio: 1, coresRatio: 2 });

const clients: Readonly<Record<ClientName, string>> = {
  reflector: "muster reflector",
  discovery: "muster k8s-discovery",
  informer: "client-node makeInformer",
};

interface Scale extends ServerTask {
  readonly turns: number;
  readonly windows: WindowPlan;
}

/** One turn of one client. */
interface Turn {
  readonly sync: SyncResult;
  readonly windows: readonly Window[];
  readonly view: ViewResult;
}

/** 5,000 pods that change 200 times a second: the first list, CPU, memory; client-node's informer beside it. */
export async function benchKubernetes(smoke: boolean): Promise<Report> {
  const scale: Scale = smoke
    ? { pods: 300, rate: 200, turns: 1, windows: { count: 1, seconds: 1 } }
    : { pods: 5000, rate: 200, turns: 3, windows: { count: 3, seconds: 4 } };
  const { pods, rate } = scale;
  const cluster = startChild(serverModule, { pods, rate } satisfies ServerTask);
  const taken = new Map<ClientName, Turn[]>();
  try {
    const server = await ask<string>(cluster, "open");
    for (let turn = 0; turn < scale.turns; turn++)
      // in turns, so that all see the machine in the same state
      for (const client of Object.keys(clients) as ClientName[]) {
        const task = { client, server, windows: scale.windows };
        taken.set(client, [...(taken.get(client) ?? []), await takeTurn(cluster, task)]);
      }
    const size = await podSize(server);
    return {
      name: `kubernetes: ${pods} pods of ${round(size / 1000)} kB, ${rate} changes/s`,
      rows: [...taken].map(([client, turns]) => row(clients[client], turns, pods)),
      checks: checksOf(taken),
    };
  } finally {
    await endChild(cluster);
  }
}

async function takeTurn(cluster: ChildProcess, task: SubjectTask): Promise<Turn> {
  const subject = startChild(subjectModule, task);
  try {
    const sync = await ask<SyncResult>(subject, "sync");
    await ask(cluster, "resume");
    const windows = await ask<Window[]>(subject, "measure");
    await ask(cluster, "pause");
    return { sync, windows, view: await ask<ViewResult>(subject, "compare") };
  } finally {
    await endChild(subject);
  }
}

/** Bytes of one pod on the wire. */
async function podSize(server: string): Promise<number> {
  const answer = await fetch(`${server}/api/v1/namespaces/default/pods?limit=100`);
  return (await answer.text()).length / 100;
}

function row(client: string, turns: readonly Turn[], pods: number): Row {
  const windows = turns.flatMap((turn) => turn.windows);
  return {
    client,
    "sync ms": show(syncOf(turns)),
    "sync CPU ms": show(figure(turns.map(({ sync }) => sync.cpuMs))),
    "heap kB/pod": show(figure(turns.map(({ sync }) => sync.heap / 1000 / pods))),
    "changes seen/s": show(figure(windows.map(({ count, seconds }) => count / seconds))),
    "% of a core": show(figure(windows.map(({ cpuMs, seconds }) => cpuMs / seconds / 10))),
    "RSS MB": show(figure(turns.map(({ view }) => view.rss / 1e6))),
    differences: differencesOf(turns),
  };
}

function checksOf(taken: ReadonlyMap<ClientName, readonly Turn[]>): Check[] {
  const informer = taken.get("informer") ?? [];
  const ours = (["reflector", "discovery"] as const).flatMap((client) =>
    oursChecks(clients[client], taken.get(client) ?? [], informer),
  );
  const views = [...taken].map(([client, turns]) => ({
    what: `${clients[client]}: what it believes is what the server has`,
    held: differencesOf(turns) === 0,
  }));
  return [...ours, ...views];
}

function oursChecks(name: string, turns: readonly Turn[], informer: readonly Turn[]): Check[] {
  const sync = syncOf(turns).median;
  const cores = coresOf(turns).median;
  const syncRatio = sync / syncOf(informer).median;
  const coresRatio = cores / coresOf(informer).median;
  return [
    {
      what: `${name}: everything there in ${round(sync)} ms, goal under ${goals.sync}`,
      held: sync < goals.sync,
    },
    {
      what: `${name}: ${round(cores * 100)} % of a core, goal under ${goals.cores * 100} %`,
      held: cores < goals.cores,
    },
    {
      what: `${name}: first list in ${round(syncRatio)} of the informer's time, goal ${goals.syncRatio}`,
      held: syncRatio <= goals.syncRatio,
    },
    {
      what: `${name}: follows with ${round(coresRatio)} of the informer's CPU, goal ${goals.coresRatio}`,
      held: coresRatio <= goals.coresRatio,
    },
  ];
}

function syncOf(turns: readonly Turn[]): Figure {
  return figure(turns.map(({ sync }) => sync.ms));
}

function coresOf(turns: readonly Turn[]): Figure {
  const windows = turns.flatMap((turn) => turn.windows);
  return figure(windows.map(({ cpuMs, seconds }) => cpuMs / 1000 / seconds));
}

function differencesOf(turns: readonly Turn[]): number {
  return turns.reduce((sum, { view }) => sum + view.differences, 0);
}
