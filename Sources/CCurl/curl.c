#include "CCurl.h"

CURLMcode ccurl_on_socket(CURLM *multi, curl_socket_callback callback, void *context) {
  CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callback);
  return code == CURLM_OK ? curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context) : code;
}

CURLMcode ccurl_on_timer(CURLM *multi, curl_multi_timer_callback callback, void *context) {
  CURLMcode code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, callback);
  return code == CURLM_OK ? curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context) : code;
}

CURLcode ccurl_on_data(CURL *easy, curl_write_callback callback, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, callback);
  return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_WRITEDATA, context) : code;
}

CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *text) { return curl_easy_setopt(easy, option, text); }

CURLcode ccurl_set_number(CURL *easy, CURLoption option, long number) { return curl_easy_setopt(easy, option, number); }

CURLcode ccurl_set_body(CURL *easy, const void *bytes, long count) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, count);
  return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, bytes) : code;
}

CURLcode ccurl_set_headers(CURL *easy, struct curl_slist *headers) { return curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers); }

CURLcode ccurl_set_reason(CURL *easy, char *buffer) { return curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, buffer); }

long ccurl_status(CURL *easy) {
  long status = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  return status;
}
