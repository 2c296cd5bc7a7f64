// A BullMQ worker that sends what its jobs say. Commands come as lines of JSON on standard input, and each
// is answered with one line:
//   {"add": [[at_ms, {url, headers, body}], ...]}   jobs, delayed until their time
//   {"work": true | false}                          starts or stops the worker
import { createInterface } from "node:readline";
import { Queue, Worker } from "bullmq";
import { Agent, request, setGlobalDispatcher } from "undici";

const [port, concurrency] = process.argv.slice(2).map(Number);
const connection = { host: "127.0.0.1", port, maxRetriesPerRequest: null };
const AT_ONCE = 1000;
const queue = new Queue("posts", { connection });
let worker = null;
let failed = 0;

setGlobalDispatcher(new Agent({ connections: concurrency, pipelining: 1 }));

async function publish({ data }) {
  const answer = await request(data.url, { method: "POST", headers: data.headers, body: data.body });
  await answer.body.dump();
  if (answer.statusCode >= 300) throw new Error(`status ${answer.statusCode}`);
}

async function add(jobs) {
  for (let first = 0; first < jobs.length; first += AT_ONCE) {
    const now = Date.now();
    const some = jobs.slice(first, first + AT_ONCE);
    await queue.addBulk(
      some.map(([at, data]) => ({ name: "post", data, opts: { delay: Math.max(0, at - now) } })),
    );
  }
}

async function work(wanted) {
  if (wanted && !worker) {
    worker = new Worker("posts", publish, { connection, concurrency });
    worker.on("failed", () => { failed += 1; });
    await worker.waitUntilReady();
  } else if (!wanted && worker) {
    await worker.close();
    worker = null;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line);
  if (command.add) await add(command.add);
  if ("work" in command) await work(command.work);
  console.log(JSON.stringify({ failed }));
}
await work(false);
await queue.close();
