import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { PROJECT } from "../rules/source-files.ts";
import { SETTINGS } from "./image.ts";

interface Service {
  readonly image: string;
  readonly user?: string;
  readonly command?: readonly string[];
  readonly volumes: readonly string[];
  readonly ports?: readonly string[];
  readonly profiles?: readonly string[];
}

const DEPLOY = join(PROJECT, "proxy/deploy");
const COMPOSE = parse(readFileSync(join(DEPLOY, "compose.yaml"), "utf8"), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};
const { publisher, proxy, nginx } = COMPOSE.services;

/** What is mounted where: a volume by its name, or a file beside the compose file or of the machine. */
const mountsOf = ({ volumes }: Service) => volumes.map((volume) => volume.split(":"));

describe("the services", () => {
  it("of ours run without rights, on a root that is read-only", () => {
    for (const service of [publisher, proxy]) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ["ALL"], restart: "unless-stopped" });
      expect(service).toMatchObject({ security_opt: ["no-new-privileges:true"], image: "govdata" });
    }
    expect([publisher?.user, proxy?.user ?? SETTINGS.user]).toEqual(["govdata", "govdata-proxy"]);
  });

  it("keep what they write in volumes, and the proxy only reads what is published", () => {
    const mounts = [publisher, proxy].flatMap((service) => (service === undefined ? [] : mountsOf(service)));
    expect(new Set(mounts.map(([name = ""]) => name))).toEqual(new Set(Object.keys(COMPOSE.volumes)));
    expect(new Set(mounts.map(([, path = ""]) => path))).toEqual(new Set(SETTINGS.volumes));
    expect(proxy?.volumes).toContain("published:/srv/govdata:ro");
  });

  it("of nginx waits to be asked for, and has our configuration alone", () => {
    expect(nginx?.profiles).toEqual(["nginx"]);
    const mounts = nginx === undefined ? [] : mountsOf(nginx).filter(([path = ""]) => path.startsWith("./"));
    expect(mounts).toEqual([["./nginx.conf", "/etc/nginx/conf.d/default.conf", "ro"]]);
    expect(existsSync(join(DEPLOY, "nginx.conf"))).toBe(true);
  });

  it("publish no port beyond this machine", () => {
    const ports = Object.values(COMPOSE.services).flatMap(({ ports: servicePorts = [] }) => servicePorts);
    expect(ports).toEqual([`127.0.0.1:8787:${SETTINGS.environment["GOVDATA_PROXY_PORT"]}`]);
  });
});

describe("the publisher", () => {
  const folder = mkdtempSync(join(tmpdir(), "govdata-compose-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const [shell = "", flag = "", script = ""] = publisher?.command ?? [];

  /** Runs its command with a stand-in for `govdata` that ends with these codes; it ends when it waits for the next day. */
  async function waits(codes: readonly number[], now: string): Promise<readonly string[]> {
    const log = join(folder, "log");
    writeFileSync(join(folder, "codes"), codes.map((code) => `${code}\n`).join(""));
    writeFileSync(log, "");
    const programs = {
      govdata: `echo "govdata $*" >> ${log}
[ "$1" = run ] || exit 0
code=$(head -n 1 ${folder}/codes); sed -i 1d ${folder}/codes; exit $code`,
      sleep: `echo "sleep $1" >> ${log}; [ "$1" = 600 ] || kill $PPID`,
      date: `echo ${Date.parse(now) / 1000}`,
    };
    const bin = join(folder, "bin");
    mkdirSync(bin, { recursive: true });
    for (const [name, text] of Object.entries(programs)) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
      chmodSync(join(bin, name), 0o755);
    }
    const env = { PATH: `${bin}:/usr/bin:/bin` };
    // Compose makes one dollar sign of two.
    const args = [flag, script.replaceAll("$$", "$")];
    await new Promise((resolve) => execFile(shell, args, { env }, resolve));
    return readFileSync(log, "utf8").trim().split("\n");
  }

  const night = "2026-11-24T01:20:00Z";
  const untilTomorrow = "sleep 85801";
  const run = "govdata run";
  const again = ["sleep 600", run];
  it.each([
    { why: "a good night", codes: [0], said: [run] },
    { why: "a night on which some DAOs failed", codes: [3], said: [run] },
    { why: "a wrong setting, which waits for a person", codes: [2], said: [run] },
    { why: "a gate, which waits for a person", codes: [6], said: [run] },
    { why: "a hub that is back after ten minutes", codes: [4, 0], said: [run, ...again] },
    { why: "a run that was killed", codes: [137, 3], said: [run, ...again] },
    {
      why: "a hub that is away all night",
      codes: [4, 4, 4, 4],
      said: [run, ...again, ...again, ...again],
    },
  ])("waits for tomorrow after $why", async ({ codes, said }) => {
    expect(await waits(codes, night)).toEqual(["govdata init --quiet", ...said, untilTomorrow]);
  });

  it.each([
    { now: "2026-11-24T01:09:59Z", seconds: 2 },
    { now: "2026-11-24T01:10:00Z", seconds: 1 },
    { now: "2026-11-24T01:10:01Z", seconds: 86_400 },
    { now: "2026-11-24T00:00:00Z", seconds: 4_201 },
    { now: "2026-11-24T23:59:59Z", seconds: 4_202 },
  ])("waits from $now until after 01:10 UTC, the time of the timer", async ({ now, seconds }) => {
    expect((await waits([0], now)).at(-1)).toBe(`sleep ${seconds}`);
    const timer = readFileSync(join(PROJECT, "pipeline/systemd/govdata-run.timer"), "utf8");
    expect(timer).toContain("OnCalendar=*-*-* 01:10:00 UTC");
  });
});
