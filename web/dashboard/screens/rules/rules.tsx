import { useAddress } from '../../address/use-address.js';
import { PermittedScreen } from '../../shell/permitted.js';
import { EditRule } from './form/edit-rule.js';
import { NewRule } from './form/new-rule.js';
import { RuleList } from './rule-list.js';

/** All rules of the page, the one that the address names, or the form for one. */
export default function Rules() {
  const { rule, new: added, copy } = useAddress().query;
  if (added !== undefined) {
    return (
      <PermittedScreen permission="rules.write">
        <NewRule key={copy} copy={copy} />
      </PermittedScreen>
    );
  }
  return rule === undefined ? <RuleList /> : <EditRule key={rule} slug={rule} />;
}
