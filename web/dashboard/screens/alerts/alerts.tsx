import { useAddress } from '../../address/use-address.js';
import { Inbox } from './inbox.js';
import { OneAlert } from './one/one-alert.js';

/** The alerts of a page, or one of them; the address says which. */
export default function Alerts() {
  const { query } = useAddress();
  const { alert } = query;
  return alert === undefined ? <Inbox /> : <OneAlert key={alert} id={alert} />;
}
