import type { Command } from "commander";
import { openSnapshot } from "../../snapshots/store/open-snapshot.ts";
import { readPointer } from "../../snapshots/store/read-pointer.ts";
import { startServer } from "../server.ts";
import { readPlaces, readServeSettings } from "../settings.ts";
import type { CommandWorld, GlobalFlags } from "./command-world.ts";

/** Exit code of a server that was told to stop twice: it did not finish. */
const CUT_SHORT = 130;

/** Adds `serve`. `setExitCode` is called when the server was stopped before it was done. */
export function addServeCommand(
  program: Command,
  world: CommandWorld,
  setExitCode: (code: number) => void,
): void {
  program
    .command("serve")
    .description("serve the published snapshot until told to stop (SIGTERM, SIGINT)")
    .option("--host <address>", "address to listen on")
    .option("--port <n>", "port to listen on; 0 takes a free one")
    .action(async (options: { host?: string; port?: string }) => {
      const places = readPlaces(program.opts<GlobalFlags>(), world.environment);
      const settings = readServeSettings(options, world.environment);
      const server = await startServer(places, settings, {
        nowMs: world.nowMs,
        randomBytes: world.randomBytes,
        logStream: world.stderr,
        pepper: world.environment["GOVDATA_PEPPER"],
        versions: {
          readPointer: () => readPointer(places.snapshots),
          open: (sequenceMin) =>
            openSnapshot(places.snapshots, { sequenceMin, trustedKeys: settings.trustedKeys }),
        },
        repeat: (task, everyMs) => {
          const timer = setInterval(() => void task(), everyMs);
          return () => clearInterval(timer);
        },
      });
      // The first line on stdout: programs wait for it.
      world.stdout.write(`listening on ${server.address}\n`);
      if (!(await stopped(world, server.stop))) setExitCode(CUT_SHORT);
    });
}

/** Waits for the first request to stop and does so; resolves at once at the second. True when everything finished. */
function stopped(world: CommandWorld, stop: () => Promise<void>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let signals = 0;
    const unsubscribe = world.onStopSignal(() => {
      signals += 1;
      if (signals > 1) {
        unsubscribe();
        resolve(false);
        return;
      }
      world.stderr.write("stopping: finishing the answers under way; again to stop at once\n");
      stop().then(() => {
        unsubscribe();
        resolve(true);
      }, reject);
    });
  });
}
