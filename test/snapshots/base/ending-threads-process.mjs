// Ends threads that hold open databases and statements, in every way; with "exit", ends while some are at work.
// argv: the compiled snapshots/base/sqlite.ts, whether this thread opens SQLite too, how to end, threads, threads at once.
import { pathToFileURL } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

const ENDS = ["return", "throw", "terminate", "process.exit"];

if (isMainThread) await endThreads(process.argv.slice(2));
else await holdSqlite(workerData);

async function endThreads([sqlite, isMainUser, how, count, atOnce]) {
  const { openSqlite } = await import(pathToFileURL(sqlite).href);
  if (isMainUser === "true") use(openSqlite);
  let started = 0;
  const lane = async () => {
    while (started < Number(count)) {
      const end = ENDS[started % ENDS.length];
      started += 1;
      await endThread(sqlite, how === "exit" ? "wait" : end);
    }
  };
  const lanes = Array.from({ length: Number(atOnce) }, lane);
  if (how !== "exit") {
    await Promise.all(lanes);
    process.stdout.write(`${started} ended\n`);
  }
}

/** Starts a thread, waits until it holds everything, and ends it. */
async function endThread(sqlite, end) {
  const worker = new Worker(new URL(import.meta.url), { workerData: { sqlite, end } });
  const ended = new Promise((resolve) => worker.once("exit", resolve));
  worker.once("error", (error) => {
    if (end !== "throw" || error.message !== "thrown on purpose") throw error;
  });
  await new Promise((resolve) => worker.once("message", resolve));
  // While other threads are at work.
  if (end === "wait") process.exit(0);
  if (end === "terminate") await worker.terminate();
  await ended;
}

async function holdSqlite({ sqlite, end }) {
  const { openSqlite } = await import(pathToFileURL(sqlite).href);
  globalThis.held = use(openSqlite);
  parentPort.postMessage("holds");
  if (end === "throw") throw new Error("thrown on purpose");
  if (end === "process.exit") process.exit(0);
  if (end === "terminate" || end === "wait") setInterval(() => held[0].prepare("SELECT 1").get(), 1);
}

/** Leaves open databases, statements in use, an iterator half way, and many statements that nothing refers to any more. */
function use(openSqlite) {
  const database = openSqlite(":memory:");
  database.exec("CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (1), (2), (3)");
  database.transaction(() => database.prepare("INSERT INTO t VALUES (4)").run())();
  const iterator = database.prepare("SELECT n FROM t").iterate();
  iterator.next();
  const statements = Array.from({ length: 5 }, (_, n) => openSqlite(":memory:").prepare(`SELECT ${n}`));
  for (let n = 0; n < 3_000; n += 1) database.prepare(`SELECT ${n}`);
  return [openSqlite(":memory:"), database, iterator, statements];
}
