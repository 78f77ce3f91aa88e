export { changeSeries, deleteSeries } from './change-series.js';
export { createSeries, previewSeries } from './create-series.js';
export { findSeries, listOccurrences, listSeries } from './managed-series.js';
export { planMaintenance } from './plan-maintenance.js';
export type { Series, SeriesRef } from './series.js';
export { skipOccurrence, unskipOccurrence } from './skip-occurrence.js';
