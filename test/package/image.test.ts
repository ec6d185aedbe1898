import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeWorld } from "../../fixtures/world.ts";
import { PROJECT } from "../rules/source-files.ts";
import { freePort } from "../support/free-port.ts";
import { lastingFolder } from "../support/run-folder.ts";
import { buildImage, canBuild, DOCKERFILE, type Image, SETTINGS } from "./image.ts";

const SPACE_ID = "second-breakfast.example";

it("has the places that the units of systemd have", () => {
  const units = ["proxy/systemd/govdata-proxy.service", "pipeline/systemd/govdata-run.service"]
    .map((path) => readFileSync(join(PROJECT, path), "utf8"))
    .join("\n");
  const places = Object.entries(SETTINGS.environment).filter(([, value]) => value.startsWith("/"));
  expect(places.length).toBeGreaterThan(3);
  for (const [name, value] of places) expect(units).toContain(`Environment=${name}=${value}\n`);
});

it("starts from one image, of a version of Node that has SQLite's binary, and runs nothing as root", () => {
  const images = new Set(DOCKERFILE.getFROMs().map((from) => from.getImage()));
  expect([...images]).toEqual([expect.stringMatching(/^node:(24|26)-\w+-slim$/)]);
  expect(SETTINGS.user).toBe("govdata-proxy");
});

describe.skipIf(!canBuild())("the built image (skipped before Node 22.14 or without mounts)", () => {
  const root = mkdtempSync(join(lastingFolder(), "govdata-image-"));
  const archive = join(root, "archive");
  const { asOf } = writeWorld({
    directory: archive,
    seed: "image",
    endDay: "2026-10-31",
    spaceIds: [SPACE_ID],
  });
  let image: Image;
  beforeAll(async () => {
    image = await buildImage(root, archive);
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  /** Runs a command in a container of its own; returns its exit code and what it wrote. */
  async function ran(command: readonly string[], ...container: readonly Parameters<Image["start"]>[1][]) {
    const child = image.start(command, container[0]);
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (data) => (said += String(data)));
    const code = await new Promise((resolve) => child.once("close", resolve));
    return { code, said };
  }

  it("holds both programs, what they need, and no tool of the tests", () => {
    const wanted = [
      "dist/proxy/main.js",
      "dist/pipeline/cli/main.js",
      "node_modules/better-sqlite3",
      "LICENSE",
    ];
    const unwanted = ["vitest", "typescript", "jsdom", "better-sqlite3-12"].map(
      (name) => `node_modules/${name}`,
    );
    const isThere = (path: string) => existsSync(image.path(join("/opt/govdata", path)));
    expect(wanted.filter((path) => !isThere(path))).toEqual([]);
    expect([...unwanted, "test", "package-lock.json"].filter(isThere)).toEqual([]);
  });

  it.each(["govdata", "govdata-proxy"])("gives %s no place to write but its own volumes", async (user) => {
    const volumes = user === "govdata" ? "/srv/govdata /var/lib/govdata" : "/var/lib/govdata-proxy";
    const places = `/ /opt/govdata /etc ${SETTINGS.volumes.join(" ")}`;
    const { said } = await ran(["sh", "-c", `for each in ${places}; do [ ! -w $each ] || echo $each; done`], {
      user,
    });
    expect(said.trim().split("\n").sort()).toEqual(volumes.split(" ").sort());
  });

  it("publishes, serves and is healthy until it stops", async () => {
    const publisher = { user: "govdata" };
    const line = `umask 027; govdata init -q --registry /mnt/registry.yaml && govdata run -q --source archive --from /mnt --as-of ${asOf}`;
    expect(await ran(["sh", "-c", line], publisher)).toEqual({ code: 0, said: expect.anything() });
    const proxy = {
      environment: { GOVDATA_PROXY_PORT: String(await freePort()), GOVDATA_PROXY_DRAIN_SECONDS: "0" },
    };
    const made = ["sh", "-c", "govdata-proxy key create --account me --tier free | cat"];
    const key = /^gvk_\S+/m.exec((await ran(made, proxy)).said)?.[0] ?? "";
    expect((await ran(SETTINGS.healthCheck, proxy)).code).toBe(1);

    const serving = image.start(SETTINGS.command, proxy);
    const ended = new Promise((resolve) => serving.once("close", resolve));
    try {
      await new Promise((resolve) => serving.stdout?.once("data", resolve));
      expect((await ran(SETTINGS.healthCheck, proxy)).code).toBe(0);
      const url = `http://127.0.0.1:${proxy.environment.GOVDATA_PROXY_PORT}/v1/daos`;
      const answer = await fetch(url, { headers: { "x-api-key": key } });
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining(SPACE_ID)]);
    } finally {
      serving.kill("SIGTERM");
    }
    expect(await ended).toBe(0);
  });
});
