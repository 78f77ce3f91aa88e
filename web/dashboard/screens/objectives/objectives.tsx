import { useAddress } from '../../address/use-address.js';
import { PermittedScreen } from '../../shell/permitted.js';
import { EditObjective } from './form/edit-objective.js';
import { NewObjective } from './form/new-objective.js';
import { ObjectiveList } from './objective-list.js';
import { OneObjective } from './one/one-objective.js';

/** All objectives of the page, the one that the address names, or the form for one. */
export default function Objectives() {
  const { objective, edit, new: added } = useAddress().query;
  if (added !== undefined) {
    return (
      <PermittedScreen permission="rules.write">
        <NewObjective />
      </PermittedScreen>
    );
  }
  if (objective === undefined) return <ObjectiveList />;
  return edit === undefined ? (
    <OneObjective key={objective} slug={objective} />
  ) : (
    <PermittedScreen permission="rules.write">
      <EditObjective key={objective} slug={objective} />
    </PermittedScreen>
  );
}
