import type { Log } from '../../contract/log.js';

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
