import { useAddress } from '../../address/use-address.js';
import { MonitorList } from './monitor-list.js';
import { OneMonitor } from './one/one-monitor.js';

/** All monitors of the page, or the one that the address names. */
export default function Monitors() {
  const { monitor } = useAddress().query;
  return monitor === undefined ? <MonitorList /> : <OneMonitor key={monitor} slug={monitor} />;
}
