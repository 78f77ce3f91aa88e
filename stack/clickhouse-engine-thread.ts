import { parentPort, workerData } from 'node:worker_threads';
import { libchdbPath } from 'chdb/libchdb';
import { DataType, isNullPointer, load, open } from 'ffi-rs';
import { confineThread, type ThreadView } from './confine/landlock.js';

/** Entry of the thread of the engine: confines itself, and runs the engine until it ends. */
export type EngineStart = { args: string[]; view: ThreadView };

export type FromEngine =
  /** The engine starts now. `unconfinedBecause` is `undefined` when its thread is confined. */
  | { type: 'starts'; unconfinedBecause: string | undefined }
  /** With the error, or ''. */
  | { type: 'ended'; error: string };

const library = 'chdb';
// The launcher of the same build is the only one that starts this thread.
const { args, view }: EngineStart = workerData;
const path = libchdbPath();
const unconfinedBecause = await confineThread({ ...view, readable: [...view.readable, path] });
tell({ type: 'starts', unconfinedBecause });
open({ library, path });
tell({ type: 'ended', error: runEngine() });

function runEngine(): string {
  const result = load({
    library,
    funcName: 'chdb_query_cmdline',
    retType: DataType.External,
    paramsType: [DataType.I32, DataType.StringArray],
    paramsValue: [args.length, args],
  });
  const errorOf = { library, funcName: 'chdb_result_error', paramsType: [DataType.External] };
  const paramsValue = [result];
  // A null pointer that is read as a string ends the process by a signal.
  if (isNullPointer(load({ ...errorOf, retType: DataType.External, paramsValue }))) return '';
  return load({ ...errorOf, retType: DataType.String, paramsValue });
}

function tell(message: FromEngine): void {
  parentPort?.postMessage(message);
}
