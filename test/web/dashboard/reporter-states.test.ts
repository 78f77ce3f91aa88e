import t from 'tap';
import { statesOf } from '../../../web/dashboard/screens/reporters/states.js';

t.test('a reporter that fails and is silent has both states', (t) => {
  t.strictSame(
    [
      statesOf({ errors: 0, reporting: 'clean' }),
      statesOf({ errors: 0, reporting: 'silent' }),
      statesOf({ errors: 3, reporting: 'clean' }),
      statesOf({ errors: 3, reporting: 'silent' }),
    ],
    [['clean'], ['silent'], ['failing'], ['failing', 'silent']],
  );
  t.end();
});
