export { changeSeries, deleteSeries } from './change-series.js';
export { createSeries, previewSeries } from './create-series.js';
export { planMaintenance } from './plan-maintenance.js';
export { findSeries, listOccurrences, listSeries, type Series, type SeriesRef } from './series.js';
export { skipOccurrence, unskipOccurrence } from './skip-occurrence.js';
