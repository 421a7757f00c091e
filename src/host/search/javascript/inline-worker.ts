/**
 * Starts a thread from a function of this code base. The function's own text is what runs there, so it may use nothing from
 * outside itself but the `require` it is given: no file beside the bundle has to be found at run time.
 */
import { Worker } from "node:worker_threads";

export type WorkerBody = (require: NodeJS.Require) => void;

export function startWorker(body: WorkerBody, workerData?: unknown): Worker {
  const worker = new Worker(`(${body.toString()})(require)`, {
    eval: true,
    workerData,
    // A thread needs nothing of the surroundings, least of all its secrets.
    env: {},
    execArgv: [],
    stdin: false,
  });
  worker.unref();
  return worker;
}
