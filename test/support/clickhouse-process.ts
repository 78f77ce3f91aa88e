import { engineArguments, loadEngine } from '../../stack/clickhouse-engine.js';

/** Entry of a process that is a ClickHouse server with a configuration of the test's: folders and ports come as arguments. */
const [dataDir = '', configFile = '', httpPort, tcpPort] = process.argv.slice(2);
process.on('disconnect', () => process.exit());
const runEngine = await loadEngine();
const error = await runEngine(
  engineArguments({ dataDir, configFile, httpPort: Number(httpPort), tcpPort: Number(tcpPort) }),
);
process.stderr.write(error);
process.exit(1);
