import { install } from './build/third-tier.js';

install();
