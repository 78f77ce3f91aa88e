import t from 'tap';
import { express5 } from '../../../../clients/reporter/adapters/applications/express.js';
import { checkCoveredRouter, checkExpress } from '../../../../clients/reporter/adapters/check-express.js';
import { olderExpress } from './older-versions.js';

// The current version comes first: it is around the routers of version 2.2, which are followed from there.
for (const version of [express5, ...olderExpress]) checkCoveredRouter(t, version);
for (const version of olderExpress) checkExpress(t, version);
