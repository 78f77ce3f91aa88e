import asyncHooks, { type AsyncHook } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';

/**
 * A slot imports this module before tap, which then creates no async hook. With its hook, tap finds the test of an error
 * that nobody catches among tests that run at the same time, and Node.js follows every promise: an eighth of the
 * processor time of a slot. A slot runs one test at a time, so such an error belongs to that test; see `runSlot`.
 */
const none: AsyncHook = { enable: () => none, disable: () => none };
asyncHooks.createHook = () => none;
syncBuiltinESMExports();
