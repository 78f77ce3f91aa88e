import t from 'tap';
import { currentSubjects } from './adapters-load.js';
import { checkAdaptersUnderKills } from './check-adapters.js';
import { onLinux } from './running-service.js';

t.test('every adapter, while the service is killed twice: each request counts once', onLinux, (t) =>
  checkAdaptersUnderKills(t, currentSubjects),
);
