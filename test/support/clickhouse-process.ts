import { engineArguments, loadEngine } from '../../stack/clickhouse-engine.js';

/** Runs a ClickHouse server with the configuration of a test; its arguments name folders and ports. */
const [dataDir = '', configFile = '', httpPort, tcpPort] = process.argv.slice(2);
process.on('disconnect', () => process.exit());
const runEngine = await loadEngine();
const error = await runEngine(
  engineArguments({ dataDir, configFile, httpPort: Number(httpPort), tcpPort: Number(tcpPort) }),
);
process.stderr.write(error);
process.exit(1);
