/**
 * The functions that a page's SQL may use. A listed function's result depends on its arguments alone (or on the clock, or
 * on chance), and its work grows in proportion to its input. Left out on purpose: functions that read files,
 * dictionaries, models, other tables, the network, headers, settings or the state of the server; functions that take the
 * name of a function or a structure as text; edit distances and the like, whose work is quadratic; and `repeat` and
 * padding, which make huge strings from short queries. ClickHouse cannot stop in the middle of a call: a `LIKE` on a
 * string of a megabyte was measured to run for more than 100 s past a limit of 10 s.
 */
const functions = `
  and assumeNotNull caseWithExpr caseWithExpression caseWithoutExpr caseWithoutExpression clamp coalesce
  equals exists firstNonDefault globalIn globalNotIn globalNotNullIn globalNullIn greater greaterOrEquals
  greatest grouping identity if ifNull in isConstant isDistinctFrom isNotDistinctFrom isNotNull isNull
  isNullable isZeroOrNull lambda least less lessOrEquals materialize multiIf not notEquals notIn notNullIn
  nullIf nullIn or singleValueOrNull toNullable transform xor
  abs acos acosh asin asinh atan atan2 atanh bitAnd bitCount bitNot bitOr bitRotateLeft bitRotateRight
  bitShiftLeft bitShiftRight bitSlice bitTest bitTestAll bitTestAny bitXor cbrt ceil ceiling cos cosh
  degrees divide divideDecimal divideOrNull e exp exp10 exp2 floor gcd hypot ifNotFinite intDiv intDivOrNull
  intDivOrZero intExp10 intExp2 isFinite isInfinite isNaN lcm ln log log10 log1p log2 midpoint minus mod
  modOrNull modulo moduloOrNull moduloOrZero multiply multiplyDecimal negate pi plus pmod pmodOrNull
  positive_modulo positive_modulo_or_null positiveModulo positiveModuloOrNull pow power radians rand rand32
  rand64 randCanonical round roundAge roundBankers roundDown roundDuration roundToExp2 sigmoid sign sin sinh
  sqr sqrt tan tanh trunc truncate width_bucket widthBucket
  addDate addDays addHours addMicroseconds addMilliseconds addMinutes addMonths addQuarters addSeconds
  addWeeks addYears age curdate current_date current_timestamp date_bin DATE_DIFF date_diff DATE_FORMAT
  DATE_TRUNC dateDiff dateName dateTrunc DAY DAYOFMONTH DAYOFWEEK DAYOFYEAR formatDateTime FROM_UNIXTIME
  from_utc_timestamp fromUnixTimestamp fromUTCTimestamp HOUR LAST_DAY localtimestamp makeDate makeDate32
  makeDateTime makeDateTime64 MICROSECOND MILLISECOND MINUTE MONTH monthName now now64 QUARTER SECOND
  subDate subtractDays subtractHours subtractMicroseconds subtractMilliseconds subtractMinutes
  subtractMonths subtractQuarters subtractSeconds subtractWeeks subtractYears time_bucket timeDiff timestamp
  TIMESTAMP_DIFF timestamp_diff timestampDiff timezone timeZone timezoneOf timeZoneOf timezoneOffset
  timeZoneOffset to_utc_timestamp today toDayOfMonth toDayOfWeek toDayOfYear toDaysInMonth toHour toISOWeek
  toISOYear toLastDayOfMonth toLastDayOfWeek toMicrosecond toMillisecond toMinute toMonday toMonth
  toMonthNumSinceEpoch toQuarter toRelativeDayNum toRelativeHourNum toRelativeMinuteNum toRelativeMonthNum
  toRelativeQuarterNum toRelativeSecondNum toRelativeWeekNum toRelativeYearNum toSecond toStartOfDay
  toStartOfFifteenMinutes toStartOfFiveMinute toStartOfFiveMinutes toStartOfHour toStartOfInterval
  toStartOfISOYear toStartOfMicrosecond toStartOfMillisecond toStartOfMinute toStartOfMonth toStartOfQuarter
  toStartOfSecond toStartOfTenMinutes toStartOfWeek toStartOfYear toTimezone toTimeZone toUnixTimestamp
  toUTCTimestamp toWeek toYear toYearNumSinceEpoch toYearWeek toYYYYMM toYYYYMMDD toYYYYMMDDhhmmss
  UTC_timestamp UTCTimestamp week YEAR yearweek yesterday
  alphaTokens appendTrailingCharIfAbsent array_to_string arrayStringConcat ascii bar base64Decode
  base64Encode base64URLDecode base64URLEncode basename bin byteSlice char CHAR_LENGTH CHARACTER_LENGTH
  concat concat_ws concatAssumeInjective concatWithSeparator concatWithSeparatorAssumeInjective countMatches
  countMatchesCaseInsensitive countSubstrings countSubstringsCaseInsensitive
  countSubstringsCaseInsensitiveUTF8 CRC32 CRC32IEEE CRC64 cutFragment cutQueryString
  cutQueryStringAndFragment cutURLParameter cutWWW decodeURLComponent decodeURLFormComponent domain
  domainWithoutWWW encodeURLComponent encodeURLFormComponent endsWith endsWithCaseInsensitive
  endsWithCaseInsensitiveUTF8 endsWithUTF8 extract extractAll extractAllGroups extractAllGroupsHorizontal
  extractAllGroupsVertical extractGroups extractURLParameter extractURLParameterNames extractURLParameters
  firstLine FORMAT_BYTES formatReadableDecimalSize formatReadableQuantity formatReadableSize
  formatReadableTimeDelta fragment FROM_BASE64 hex ilike initcap initcapUTF8 instr isASCII isValidASCII
  isValidUTF8 lcase left leftUTF8 lengthUTF8 like lower lowerUTF8 ltrim match mid multiSearchAllPositions
  multiSearchAllPositionsCaseInsensitive multiSearchAllPositionsCaseInsensitiveUTF8
  multiSearchAllPositionsUTF8 multiSearchAny multiSearchAnyCaseInsensitive multiSearchAnyCaseInsensitiveUTF8
  multiSearchAnyUTF8 multiSearchFirstIndex multiSearchFirstIndexCaseInsensitive
  multiSearchFirstIndexCaseInsensitiveUTF8 multiSearchFirstIndexUTF8 multiSearchFirstPosition
  multiSearchFirstPositionCaseInsensitive multiSearchFirstPositionCaseInsensitiveUTF8
  multiSearchFirstPositionUTF8 notILike notLike overlay overlayUTF8 path pathFull position
  positionCaseInsensitive positionCaseInsensitiveUTF8 positionUTF8 protocol queryString
  queryStringAndFragment REGEXP_EXTRACT regexp_instr REGEXP_MATCHES REGEXP_REPLACE REGEXP_SUBSTR
  regexpExtract regexpInstr regexpPosition regexpQuoteMeta replace replaceAll replaceOne replaceRegexpAll
  replaceRegexpOne reverseBySeparator reverseUTF8 right rightUTF8 rtrim splitByAlpha splitByChar
  splitByNonAlpha splitByRegexp splitByString splitByWhitespace startsWith startsWithCaseInsensitive
  startsWithCaseInsensitiveUTF8 startsWithUTF8 stringBytesEntropy stringBytesUniq substr substring
  SUBSTRING_INDEX substringIndex substringIndexUTF8 substringUTF8 TO_BASE64 topLevelDomain toTypeName
  toValidUTF8 trim trimBoth trimLeft trimRight tryBase64Decode tryBase64URLDecode ucase unbin unhex upper
  upperUTF8 URLHierarchy URLPathHierarchy
  array array_remove arrayAll arrayAvg arrayCompact arrayConcat arrayCount arrayCumSum
  arrayCumSumNonNegative arrayDifference arrayDistinct arrayDotProduct arrayElement arrayElementOrNull
  arrayEnumerate arrayExcept arrayExists arrayFilter arrayFirst arrayFirstIndex arrayFirstOrNull
  arrayFlatten arrayIntersect arrayJoin arrayLast arrayLastIndex arrayLastOrNull arrayMap arrayMax arrayMin
  arrayPopBack arrayPopFront arrayProduct arrayPushBack arrayPushFront arrayRemove arrayReverse
  arrayReverseSort arrayRotateLeft arrayRotateRight arrayShiftLeft arrayShiftRight arraySlice arraySort
  arraySum arraySymmetricDifference arrayUnion arrayUniq arrayZip arrayZipUnaligned CARDINALITY countEqual
  dotProduct empty extractKeyValuePairs flatten has hasAll hasAny hasSubstr indexOf indexOfAssumeSorted
  length map mapAll mapApply mapContains mapContainsKey mapContainsKeyLike
  mapContainsValue mapContainsValueLike mapExists mapExtractKeyLike mapExtractValueLike mapFilter
  mapKeys mapReverseSort mapSort mapValues notEmpty
  OCTET_LENGTH range reverse scalarProduct tuple tupleConcat tupleDivide tupleDivideByNumber
  tupleElement tupleIntDiv tupleIntDivByNumber tupleIntDivOrZero tupleIntDivOrZeroByNumber tupleMinus
  tupleModulo tupleModuloByNumber tupleMultiply tupleMultiplyByNumber tupleNegate tuplePlus
  tuplePositiveModuloByNumber tupleToNameValuePairs unnest untuple vectorDifference vectorSum
  accurateCast accurateCastOrDefault accurateCastOrNull CAST DATE dateTimeToUUIDv7 finalizeAggregation
  fromUnixTimestamp64Micro fromUnixTimestamp64Milli fromUnixTimestamp64Nano fromUnixTimestamp64Second
  generateUUIDv4 generateUUIDv7 INET6_ATON INET6_NTOA INET_ATON INET_NTOA IPv4NumToString
  IPv4NumToStringClassC IPv4StringToNum IPv4StringToNumOrDefault IPv4StringToNumOrNull IPv4ToIPv6
  IPv6NumToString IPv6StringToNum IPv6StringToNumOrDefault IPv6StringToNumOrNull isIPAddressInRange
  isIPv4String isIPv6String parseDateTime parseDateTime32BestEffort parseDateTime32BestEffortOrNull
  parseDateTime32BestEffortOrZero parseDateTime64 parseDateTime64BestEffort parseDateTime64BestEffortOrNull
  parseDateTime64BestEffortOrZero parseDateTime64BestEffortUS parseDateTime64BestEffortUSOrNull
  parseDateTime64BestEffortUSOrZero parseDateTime64OrNull parseDateTime64OrZero parseDateTimeBestEffort
  parseDateTimeBestEffortOrNull parseDateTimeBestEffortOrZero parseDateTimeBestEffortUS
  parseDateTimeBestEffortUSOrNull parseDateTimeBestEffortUSOrZero parseDateTimeOrNull parseDateTimeOrZero
  str_to_date TO_UNIXTIME toBool toDate toDate32 toDate32OrDefault toDate32OrNull toDate32OrZero
  toDateOrDefault toDateOrNull toDateOrZero toDateTime toDateTime32 toDateTime64 toDateTime64OrDefault
  toDateTime64OrNull toDateTime64OrZero toDateTimeOrDefault toDateTimeOrNull toDateTimeOrZero toDecimal128
  toDecimal128OrNull toDecimal128OrZero toDecimal256 toDecimal256OrNull toDecimal256OrZero toDecimal32
  toDecimal32OrNull toDecimal32OrZero toDecimal64 toDecimal64OrNull toDecimal64OrZero toDecimalString
  toFixedString toFloat32 toFloat32OrNull toFloat32OrZero toFloat64 toFloat64OrNull toFloat64OrZero toInt128
  toInt128OrNull toInt128OrZero toInt16 toInt16OrNull toInt16OrZero toInt256 toInt256OrNull toInt256OrZero
  toInt32 toInt32OrNull toInt32OrZero toInt64 toInt64OrNull toInt64OrZero toInt8 toInt8OrNull toInt8OrZero
  toInterval toIntervalDay toIntervalHour toIntervalMillisecond toIntervalMinute toIntervalMonth
  toIntervalQuarter toIntervalSecond toIntervalWeek toIntervalYear toIPv4 toIPv4OrDefault toIPv4OrNull
  toIPv4OrZero toIPv6 toIPv6OrDefault toIPv6OrNull toIPv6OrZero toString toTime toUInt128 toUInt128OrNull
  toUInt128OrZero toUInt16 toUInt16OrNull toUInt16OrZero toUInt256 toUInt256OrNull toUInt256OrZero toUInt32
  toUInt32OrNull toUInt32OrZero toUInt64 toUInt64OrNull toUInt64OrZero toUInt8 toUInt8OrNull toUInt8OrZero
  toUnixTimestamp64Micro toUnixTimestamp64Milli toUnixTimestamp64Nano toUnixTimestamp64Second toUUID
  toUUIDOrDefault toUUIDOrNull toUUIDOrZero UUIDNumToString UUIDStringToNum UUIDv7ToDateTime
  isValidJSON JSON_ARRAY_LENGTH JSONArrayLength JSONExtract JSONExtractArrayRaw
  JSONExtractArrayRawCaseInsensitive JSONExtractBool JSONExtractBoolCaseInsensitive
  JSONExtractCaseInsensitive JSONExtractFloat JSONExtractFloatCaseInsensitive JSONExtractInt
  JSONExtractIntCaseInsensitive JSONExtractKeys JSONExtractKeysAndValues
  JSONExtractKeysAndValuesCaseInsensitive JSONExtractKeysAndValuesRaw
  JSONExtractKeysAndValuesRawCaseInsensitive JSONExtractKeysCaseInsensitive JSONExtractRaw
  JSONExtractRawCaseInsensitive JSONExtractString JSONExtractStringCaseInsensitive JSONExtractUInt
  JSONExtractUIntCaseInsensitive JSONHas JSONKey JSONLength JSONType simpleJSONExtractBool
  simpleJSONExtractFloat simpleJSONExtractInt simpleJSONExtractRaw simpleJSONExtractString
  simpleJSONExtractUInt simpleJSONHas toJSONString visitParamExtractBool visitParamExtractFloat
  visitParamExtractInt visitParamExtractRaw visitParamExtractString visitParamExtractUInt visitParamHas
  cityHash64 CRC32 farmHash64 intHash32 intHash64 MD5 metroHash64 murmurHash2_64 murmurHash3_32
  murmurHash3_64 SHA1 SHA256 SHA512 sipHash128 sipHash64 xxh3 xxHash32 xxHash64
`;

const aggregates = `
  any any_respect_nulls any_value any_value_respect_nulls anyHeavy anyLast anyLast_respect_nulls
  anyLastRespectNulls anyRespectNulls anyValueRespectNulls approx_top_count approx_top_k approx_top_sum
  argAndMax argAndMin argMax argMin array_agg avg avgWeighted BIT_AND BIT_OR BIT_XOR corr count COVAR_POP
  COVAR_SAMP covarPop covarSamp cume_dist deltaSum dense_rank denseRank entropy exponentialMovingAverage
  exponentialTimeDecayedAvg exponentialTimeDecayedCount exponentialTimeDecayedMax exponentialTimeDecayedSum
  first_value first_value_respect_nulls firstValueRespectNulls group_concat groupArray
  groupArrayLast groupArrayMovingAvg groupArrayMovingSum groupArraySample groupArraySorted groupBitAnd
  groupBitOr groupBitXor groupConcat groupUniqArray histogram intervalLengthSum kurtPop lag lagInFrame
  last_value last_value_respect_nulls lastValueRespectNulls lead leadInFrame max max_by maxIntersections
  maxIntersectionsPosition median medianBFloat16 medianBFloat16Weighted medianDD medianExact medianTDigest
  medianTDigestWeighted medianTiming medianTimingWeighted min min_by nonNegativeDerivative nth_value ntile
  percent_rank percentRank quantile quantileBFloat16 quantileBFloat16Weighted quantileDD quantileExact
  quantileExactWeighted quantileExactWeightedArray quantiles quantilesBFloat16 quantilesBFloat16Weighted
  quantilesDD quantilesExact quantilesExactWeighted quantilesExactWeightedArray quantilesTDigest
  quantilesTDigestWeighted quantilesTiming quantilesTimingWeighted quantileTDigest quantileTDigestWeighted
  quantileTiming quantileTimingWeighted rank row_number simpleLinearRegression skewPop sparkbar sparkBar STD
  STDDEV STDDEV_POP STDDEV_SAMP stddevPop stddevSamp string_agg sum sumCount sumKahan sumWithOverflow topK
  topKWeighted uniq uniqCombined uniqCombined64 uniqExact uniqHLL12 uniqUpTo VAR_POP VAR_SAMP varPop varSamp
`;

/** Table functions that make rows from their arguments alone. */
const tableFunctions: ReadonlySet<string> = new Set(['numbers', 'generate_series', 'generateSeries']);

/**
 * Suffixes that turn one aggregate function into another, such as `countIf`. -Array and -ForEach are left out:
 * `topKArray` of 5,000 elements a row took 16 s for one block of rows. Percentiles of buckets are in the list, because an
 * element costs a hundredth of that, and a block that fits the memory some seconds. -Map is left out because each access
 * to a map reads all of it: an element of a map of 50,000, 50,000 times, took minutes in one call. -ArrayMerge is of
 * states of `latency_sketch`, whose own refusal says what to read instead.
 */
const combinator =
  /(If|SimpleState|State|Merge|ArrayMerge|Distinct|OrDefault|OrNull|Resample|ArgMin|ArgMax)$/;

// ClickHouse accepts some names in any case (`SUM`, `Lower`), so names are compared that way here, too. No function
// outside the list differs from a listed one by case alone; a test checks that against the server.
const functionNames = namesOf(functions);
const aggregateNames = namesOf(aggregates);

/** Names of the functions as their documentation writes them, without the variants of aggregate functions. */
export const allowedFunctions: readonly string[] = [
  ...functions.split(/\s+/),
  ...aggregates.split(/\s+/),
].filter(Boolean);

export function isAllowedFunction(name: string): boolean {
  return functionNames.has(name.toLowerCase()) || isAggregate(name);
}

export function isAllowedTableFunction(name: string): boolean {
  return tableFunctions.has(name);
}

export function isAggregate(name: string): boolean {
  if (aggregateNames.has(name.toLowerCase())) return true;
  const base = name.replace(combinator, '');
  return base !== name && isAggregate(base);
}

function namesOf(text: string): ReadonlySet<string> {
  return new Set(text.trim().toLowerCase().split(/\s+/));
}
