import type { Log } from '../../lib/log.js';

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
