import { describeDefinition, describePollingSource } from "@muster/testkit";
import { describe, it } from "vitest";
import prometheus from "../src/index.ts";
import { endpointAt, openSource } from "./support/poll.ts";
import { serve } from "./support/server.ts";

const hosts = ["10.0.0.0/8"];

describeDefinition(
  { describe, it },
  {
    definition: prometheus,
    valid: [
      {},
      { interval: "50ms", timeout: 250, scheme: "https", path: "/m?x", port: 9400 },
      { auth: { bearerToken: "t", hosts }, headers: { "x-scope": "a" } },
      { auth: { username: "u", passwordFile: "/p", hosts: ["*"] }, allowedTargets: ["*.svc"] },
    ],
    invalid: [
      { config: { pathh: "/" }, path: "" },
      { config: { path: "metrics" }, path: "path" },
      { config: { port: 0 }, path: "port" },
      { config: { interval: "1" }, path: "interval" },
      { config: { timeout: 0 }, path: "timeout" },
      { config: { clientCertPath: "/c" }, path: "" },
      { config: { caCertPath: "" }, path: "caCertPath" },
      { config: { maxBodyBytes: 1 }, path: "maxBodyBytes" },
      { config: { allowedTargets: ["10.0.0.0/99"] }, path: "allowedTargets[0]" },
      { config: { headers: { authorization: "Bearer t" } }, path: "headers.authorization" },
      { config: { headers: { Host: "x" } }, path: "headers.Host" },
      { config: { headers: { "x-a": "a\r\nb: c" } }, path: "headers.x-a" },
      { config: { auth: { bearerToken: "t" } }, path: "auth.hosts" },
      { config: { auth: { bearerToken: "t", hosts: [] } }, path: "auth.hosts" },
      { config: { auth: { bearerToken: "a b", hosts } }, path: "auth.bearerToken" },
      { config: { auth: { hosts } }, path: "auth" },
      { config: { auth: { bearerToken: "t", username: "u", password: "p", hosts } }, path: "auth" },
      { config: { auth: { username: "u", hosts } }, path: "auth" },
      { config: { auth: { bearerToken: "t", password: "p", hosts } }, path: "auth" },
      { config: { auth: { username: "a:b", password: "p", hosts } }, path: "auth.username" },
    ],
  },
);

describePollingSource(
  { describe, it },
  {
    make: async () => {
      let mode: "fine" | "failing" | "hanging" = "fine";
      const { port } = await serve((_, response) => {
        response.statusCode = mode === "failing" ? 500 : 200;
        if (mode !== "hanging") response.end("a 1\n");
      });
      return {
        source: openSource({ timeout: "200ms" }),
        endpoint: endpointAt(port),
        fail: () => {
          mode = "failing";
        },
        recover: () => {
          mode = "fine";
        },
        hang: () => {
          mode = "hanging";
        },
      };
    },
  },
);
