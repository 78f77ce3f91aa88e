import t from 'tap';
import { express5 } from './applications/express.js';
import { checkCoveredRouter, checkExpress } from './check-express.js';

checkCoveredRouter(t, express5);
checkExpress(t, express5);
