#!/usr/bin/env node
import { run } from './run.js';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Whoever reads our output, `head` for one, has had enough of it.
  if (error.code !== 'EPIPE') throw error;
});

// The exit code is set and the process left to end by itself, so that output into a pipe is not cut off.
process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  print: (text) => process.stdout.write(text),
  complain: (text) => process.stderr.write(text),
});
