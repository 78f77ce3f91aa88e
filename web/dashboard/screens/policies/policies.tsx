import { useAddress } from '../../address/use-address.js';
import { EditPolicy } from './edit-policy.js';
import { NewPolicy } from './new-policy.js';
import { PolicyList } from './policy-list.js';

/** The policies of a page, or the editor of one; the address says which. */
export default function Policies() {
  const { query } = useAddress();
  const { policy } = query;
  if (policy !== undefined) return <EditPolicy key={policy} slug={policy} />;
  return query['new'] === 'policy' ? <NewPolicy /> : <PolicyList />;
}
