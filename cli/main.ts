#!/usr/bin/env node
import { run } from './run.js';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader of the output, such as `head`, has closed the pipe.
  if (error.code !== 'EPIPE') throw error;
});

// Sets the exit code and lets the process end by itself, so that output into a pipe is not cut off.
process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  print: (text) => process.stdout.write(text),
  complain: (text) => process.stderr.write(text),
});
