export { changeSeries } from './change-series.js';
export { createSeries, previewSeries } from './create-series.js';
export { deleteSeries } from './delete-series.js';
export { planMaintenance } from './plan-maintenance.js';
export { findSeries, listOccurrences, listSeries, type Series, type SeriesRef } from './series.js';
export { skipOccurrence, unskipOccurrence } from './skip.js';
