import t from 'tap';
import { groupKeyOf, KeyParts } from '../../../ingest/cumulative/identity.js';

t.test('parts that keys have in common make the key that all parts make at once', async (t) => {
  const [resource, scope, metric] = [[{ key: 'a', value: 'ü' }], ['scope', '1'], ['metric', 's', 'explicit']];
  const ofScope = KeyParts.from(resource).and(scope);
  t.equal(ofScope.keyWith(metric), groupKeyOf([resource, scope, metric]));
  t.equal(
    ofScope.keyWith('other'),
    groupKeyOf([resource, scope, 'other']),
    'a key leaves the parts as they were',
  );
});
