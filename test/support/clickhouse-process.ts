import { dirname } from 'node:path';
import { engineArguments, startEngine } from '../../stack/clickhouse-engine.js';
import { engineView } from '../../stack/confine/engine-view.js';

/** Runs a ClickHouse server with the configuration of a test; its arguments name folders and ports. */
const [dataDir = '', configFile = '', http, tcp] = process.argv.slice(2);
process.on('disconnect', () => process.exit());
const [httpPort, tcpPort] = [Number(http), Number(tcp)];
const { ended } = await startEngine(
  engineArguments({ dataDir, configFile, httpPort, tcpPort }),
  engineView(
    { dataDir, configFiles: [dirname(configFile)] },
    { listenPorts: [httpPort, tcpPort], connectPorts: [] },
  ),
);
process.stderr.write(await ended);
process.exit(1);
