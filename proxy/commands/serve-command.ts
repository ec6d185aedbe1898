import { readServeSettings, SETTINGS, type ServeFlags, unknownVariables } from "../settings.ts";
import { readRemoteStatus } from "../snapshot/remote-status.ts";
import { versionsIn } from "../snapshot/snapshot-source.ts";
import type { CommandContext } from "./command-context.ts";
import { CUT_SHORT, stopped } from "./command-world.ts";

/** Log lines are buffered for at most this long. */
const FLUSH_MS = 250;

/** Adds `serve`. `setExitCode` is called when the server was stopped before it was done. */
export function addServeCommand(
  { add, program, world, paths: pathsOf, isJson, tell, printDone }: CommandContext,
  setExitCode: (code: number) => void,
): void {
  add(
    program,
    "serve",
    "serve the published snapshot until SIGTERM or SIGINT",
    "serve --host 127.0.0.1 --port 8787 --admin-port 9090",
  )
    .addOption(SETTINGS.option("GOVDATA_PROXY_HOST"))
    .addOption(SETTINGS.option("GOVDATA_PROXY_PORT"))
    .addOption(SETTINGS.option("GOVDATA_PROXY_ADMIN_PORT"))
    .addHelpText("after", `\n${SETTINGS.help()}`)
    .action(async (flags: ServeFlags) => {
      // A mistyped name must be noticed, but it may be meant for a newer version, so it is only a warning.
      for (const name of unknownVariables(world.environment)) {
        tell(`warning: ${name} is not a variable of this program; --help lists them`);
      }
      const paths = pathsOf();
      const settings = readServeSettings(flags, world.environment);
      // Loaded only here, because they take longer than any other command.
      const { bufferLines } = await import("../observe/create-log.ts");
      const { startServer } = await import("../server/start-server.ts");
      const { collectDefaultMetrics } = await import("prom-client");
      const logStream = bufferLines(world.stderr);
      const endFlushing = repeat(logStream.flush, FLUSH_MS);
      // A process that dies of an error still writes its last lines.
      const forgetExit = world.onExit(logStream.flush);
      try {
        const server = await startServer(paths, settings, {
          nowMs: world.nowMs,
          monotonicMs: world.monotonicMs,
          randomBytes: world.randomBytes,
          logStream,
          openFilesMax: world.openFilesMax(),
          pepper: world.environment["GOVDATA_PEPPER"],
          versions: {
            ...versionsIn(paths.snapshots, settings.trustedKeys),
            ...(paths.remote === undefined
              ? {}
              : { remote: () => readRemoteStatus(paths.home, world.nowMs()) }),
          },
          repeat,
          addProcessMetrics: (register) => collectDefaultMetrics({ register }),
        });
        for (const warning of server.warnings) tell(`warning: ${warning}`);
        // This must be the first line on stdout: programs wait for it.
        const { address, adminAddress } = server;
        if (isJson()) {
          printDone({ listening: address, admin: adminAddress ?? null });
        } else {
          world.stdout.write(`listening on ${address}\n`);
          if (adminAddress !== undefined) world.stdout.write(`admin on ${adminAddress}\n`);
        }
        const stop = () => {
          tell("stopping: finishing the requests in progress; signal again to stop at once");
          return server.stop(settings.drainMs);
        };
        if (!(await stopped(world, stop))) setExitCode(CUT_SHORT);
      } finally {
        endFlushing();
        logStream.flush();
        forgetExit();
      }
    });
}

function repeat(task: () => unknown, everyMs: number): () => void {
  const timer = setInterval(() => void task(), everyMs);
  return () => clearInterval(timer);
}
