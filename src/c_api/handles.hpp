// What the opaque handles are, and how errors cross the border: as a status and a text, never as an exception.
#pragma once

#include <exception>
#include <new>
#include <string>

#include "c_api/frame.hpp"
#include "xofm/c_api.h"
#include "xofm/error.hpp"
#include "xofm/model.hpp"

struct xofm_text {
  std::string value;
};

struct xofm_frame {
  xofm::c_api::Frame value;
};

struct xofm_model {
  xofm::Model value;
};

namespace xofm::c_api {

inline xofm_status fail(xofm_status status, const char* message, xofm_text** error) noexcept {
  if (error == nullptr) return status;
  try {
    *error = new xofm_text{message};
  } catch (...) {
    *error = nullptr;
  }
  return status;
}

inline xofm_status status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_option:
      return XOFM_INVALID_OPTION;
    case ErrorCode::invalid_data:
      return XOFM_INVALID_DATA;
    case ErrorCode::invalid_model:
      return XOFM_INVALID_MODEL;
    case ErrorCode::io:
      return XOFM_IO;
    case ErrorCode::diverged:
      return XOFM_DIVERGED;
  }
  return XOFM_INTERNAL;
}

// Runs body() -> status.
template <class Body>
xofm_status guarded(xofm_text** error, Body body) noexcept {
  if (error != nullptr) *error = nullptr;
  try {
    return body();
  } catch (const Error& failure) {
    return fail(status_of(failure.code()), failure.what(), error);
  } catch (const std::bad_alloc&) {
    return fail(XOFM_NO_MEMORY, "there is not enough memory", error);
  } catch (const std::exception& failure) {
    return fail(XOFM_INTERNAL, failure.what(), error);
  } catch (...) {
    return fail(XOFM_INTERNAL, "an unknown error", error);
  }
}

}  // namespace xofm::c_api
