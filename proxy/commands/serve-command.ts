import type { Command } from "commander";
import { collectDefaultMetrics } from "prom-client";
import { bufferLines } from "../observe/buffer-lines.ts";
import { createLog } from "../observe/create-log.ts";
import { startServer } from "../server.ts";
import { readPlaces, readServeSettings, type ServeFlags, unknownVariables } from "../settings.ts";
import type { CommandWorld, GlobalFlags } from "./command-world.ts";

import { describedCommand } from "./described-command.ts";
import { printDone } from "./print-rows.ts";
import { openServedVersions, type ServedVersions } from "./served-versions.ts";

/** Exit code of a server that was told to stop twice: it did not finish. */
const CUT_SHORT = 130;

/** Lines of the log wait at most this long before they are written. */
const FLUSH_MS = 250;

/** Adds `serve`. `setExitCode` is called when the server was stopped before it was done. */
export function addServeCommand(
  program: Command,
  world: CommandWorld,
  setExitCode: (code: number) => void,
): void {
  describedCommand(
    program,
    "serve",
    "serve the published snapshot until told to stop (SIGTERM, SIGINT)",
    "serve --host 127.0.0.1 --port 8787 --admin-port 9090",
  )
    .option("--host <address>", "address to listen on")
    .option("--port <n>", "port to listen on; 0 takes a free one")
    .option("--admin-port <n>", "port of the operator's listener, on 127.0.0.1; 0 takes a free one")
    .action(async (flags: ServeFlags) => {
      warnOfUnknownVariables(world);
      const places = readPlaces(program.opts<GlobalFlags>(), world.environment);
      const settings = readServeSettings(flags, world.environment);
      const logStream = bufferLines(world.stderr);
      const endFlushing = repeat(logStream.flush, FLUSH_MS);
      // A process that dies of an error still says so.
      const forgetExit = world.onExit?.(logStream.flush);
      let published: ServedVersions | undefined;
      try {
        const log = createLog(logStream, settings.logLevel);
        published = await openServedVersions(places, settings, world, log);
        if (!(await published.start())) return;
        const server = await startServer(places, settings, {
          nowMs: world.nowMs,
          ...(world.monotonicMs === undefined ? {} : { monotonicMs: world.monotonicMs }),
          randomBytes: world.randomBytes,
          logStream,
          openFilesMax: world.openFilesMax?.(),
          pepper: world.environment["GOVDATA_PEPPER"],
          versions: published.versions,
          repeat,
          tellProcess: (register) => collectDefaultMetrics({ register }),
        });
        for (const warning of server.warnings) world.stderr.write(`warning: ${warning}\n`);
        // The first line on stdout: programs wait for it.
        const { address, adminAddress } = server;
        if (program.opts<GlobalFlags>().json === true) {
          printDone(world.stdout, true, { listening: address, admin: adminAddress ?? null });
        } else {
          world.stdout.write(`listening on ${address}\n`);
          if (adminAddress !== undefined) world.stdout.write(`admin on ${adminAddress}\n`);
        }
        const stop = () => Promise.all([published?.stop(), server.stop(settings.drainMs)]);
        if (!(await stopped(world, stop))) setExitCode(CUT_SHORT);
      } finally {
        await published?.stop();
        endFlushing();
        logStream.flush();
        forgetExit?.();
      }
    });
}

function repeat(task: () => unknown, everyMs: number): () => void {
  const timer = setInterval(() => void task(), everyMs);
  return () => clearInterval(timer);
}

/** A mistyped name must not pass unseen; it may be meant for a newer version, so it stops nobody. */
function warnOfUnknownVariables(world: CommandWorld): void {
  for (const name of unknownVariables(world.environment)) {
    world.stderr.write(`warning: ${name} is no variable of this program; --help lists them\n`);
  }
}

/** Waits for the first request to stop and does so; resolves at once at the second. True when everything finished. */
function stopped(world: CommandWorld, stop: () => Promise<unknown>): Promise<boolean> {
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
