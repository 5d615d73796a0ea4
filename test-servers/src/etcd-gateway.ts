import { readFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { testTls } from "./tls-files.ts";

/** Where a test asks etcd directly. */
export interface GatewayTarget {
  readonly port: number;
  readonly tls: boolean;
  readonly token?: string | undefined;
}

/** One call of etcd's JSON gateway, for what a test does behind the back of what it tests. */
export async function callGateway(
  target: GatewayTarget,
  path: string,
  body: object,
): Promise<Record<string, unknown>> {
  const { status, text } = await post(target, path, JSON.stringify(body));
  if (status !== 200) throw new Error(`etcd answered ${status} to ${path}: ${text.trim()}`);
  return JSON.parse(text) as Record<string, unknown>;
}

function post(
  { port, tls, token }: GatewayTarget,
  path: string,
  body: string,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const options = {
      host: "127.0.0.1",
      port,
      path,
      method: "POST",
      agent: false as const,
      timeout: 5000,
      headers: { "content-type": "application/json", ...(token && { authorization: token }) },
    };
    const client = tls
      ? httpsRequest({
          ...options,
          ca: readFileSync(testTls.ca),
          cert: readFileSync(testTls.client.cert),
          key: readFileSync(testTls.client.key),
          servername: "store.test",
        })
      : httpRequest(options);
    client.on("response", (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (chunk: string) => {
        text += chunk;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
      answer.on("error", reject);
    });
    client.on("timeout", () => client.destroy(new Error(`etcd did not answer ${path} in 5 s`)));
    client.on("error", reject);
    client.end(body);
  });
}
